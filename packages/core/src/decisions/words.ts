/** With a full stop, and not with two. */
const sentence = (text: string): string => (/[.!?…]\s*$/.test(text) ? text.trim() : `${text.trim()}.`);

/** What the framework says to a model: what stands in the way, and what to do instead. */
export const words = {
  protected: (tool: string) =>
    `${tool} was not run: it is protected, and this run was given no grant for it. Go on without it, or report what you would need it for.`,
  denied: (tool: string) => `${tool} was not run: this run may not use it. Choose another tool.`,
  hidden: (tool: string, visible: readonly string[]) =>
    `${tool} is not available in this turn. ${visible.length > 0 ? `Use one of: ${visible.join(", ")}.` : "No tool is: answer in words."}`,
  approvalAsked: (tool: string) => `${tool} needs a person's approval`,
  approvalDenied: (tool: string, reason: string | undefined) =>
    `${tool} was not run: it needs a person's approval, which was refused${reason ? `: ${sentence(reason)}` : "."} Go on without it.`,
  nobodyToAsk: (tool: string) =>
    `${tool} was not run: it needs a person's approval, and nobody is asked any more.`,
  onlyReports: (tool: string) => `${tool} was not run: this turn is for the report alone.`,
  noApprovalForClients: (tool: string) =>
    `${tool} was not run: approval is not supported for client tools, which run elsewhere. Go on without it.`,
  restarts: (limit: number) =>
    `This call was not run: your step was sent back ${limit} times. Do something else, or report what you have.`,
  todo: (todos: readonly string[]) => `Still to do before you end:
${todos.map((todo) => `- ${todo}`).join("\n")}`,
  goOn: "Go on from this reasoning.",
  reconsider: (reasoning: string) => `The report was not taken. Go on from this reasoning: ${reasoning}`,
  toolLimit: (tool: string, limit: number) =>
    `${tool} was not run: you have used all ${limit} of your calls of it. Use another tool, or report what you have.`,
  contextSoft: "Your context is filling up. Come to an end: fetch only what is still missing, then report.",
  repeating:
    "You keep repeating calls that you made before. Their results will not change: try something new, or report.",
  leftOut: (kept: number, total: number) =>
    `\n[Cut to fit: ${total - kept} of ${total} characters were left out. Ask for a smaller part to see them.]`,
  hookError: (guard: string) =>
    `policy hook error: the check "${guard}" on this call failed, so the call was not run. Try another way, or report without it.`,
  inFlight: (tool: string) =>
    `${tool} was not run: you are working for a call that asks the same, so you would wait for yourself. Do it yourself another way.`,
  callLimit: (limit: number) =>
    `This call was not run: you have used all ${limit} of your tool calls. Report what you have.`,
  unavailable: (tool: string, why: string) =>
    `${tool} is unavailable right now (${why}). Use another source, or say in your report that it could not be reached.`,
  unknown: (tool: string) =>
    `It is not known whether ${tool} ran: the run was interrupted in the middle of this call. It may have had its effect: find out before you call it again.`,
  unknownReturn: (tool: string) =>
    `It is not known whether ${tool} ran: the run was interrupted in the middle of this call. It may have had its effect. Call ${tool} again only where that does no harm; else answer in words with what you have found.`,
  secretLost: (tool: string) =>
    `${tool} was not run: the run was interrupted before it, and of its arguments a secret was not kept. Call it again with all of them.`,
  withdrawn: (tool: string) =>
    `${tool} was not run: the run is being brought to an end. Report what you have.`,
  secondReturn: (tool: string) => `Only the first ${tool} of a turn counts; this one was left out.`,
  spokenTo: (tool: string) =>
    `This ${tool} was not taken: a message came in while you wrote it. Read the message, then call ${tool} again.`,
  ranAndSpokenTo: (tool: string) =>
    `This ${tool} ran, and a message came in meanwhile, so you do not end here. Read the message, then call ${tool} again only where it has to run again; else answer in words.`,
  accepted: "Accepted.",
  dropped: (tool: string, tokens: number, room: number) =>
    `The result of ${tool} (about ${tokens} tokens) was left out: only about ${room} still fit here. Report what you have.`,
  deadline: (tool: string, ms: number) =>
    `${tool} took longer than its ${ms} ms and was stopped. Ask for less, or use another tool.`,
  empty: "Your last message was empty. Call a tool, or answer.",
  cutOff: "Your last message was cut off at its length limit. Say it again, shorter.",
  badOutput: (why: string) =>
    `The answer does not have the form that was asked for:\n${why}\nAnswer again, in that form only.`,
  outputForm: (schema: string) =>
    `Your final answer must be JSON that fits this schema, and nothing else:\n${schema}`,
  report: (why: string, tool: string | undefined) =>
    `${why} Stop here and ${tool ? `call ${tool} once` : "answer"} with what you have found. Say plainly what is missing.`,
  stopped: {
    max_turns: "You have used all your turns.",
    max_calls: "You have used all your tool calls.",
    context: "Your context is full.",
    budget: "The run has used up its budget.",
    deadline: "The run's time is up.",
    repetition: "You keep repeating calls that you made before.",
    cancelled: "The run is being brought to an end.",
  },
} as const;
