import type { GenerateRequest, Prefix, Prompt } from "@agentpool/core";
import { anything, fill } from "./behaviours/fill.ts";
import { type Inquiry, inquireMove, inquiryOf } from "./behaviours/inquire.ts";
import { materialIn, mergeMove } from "./behaviours/merge.ts";
import { type Move, say } from "./behaviours/move.ts";
import { planMove } from "./behaviours/plan.ts";
import { notFoundIn, reportMove, resultOf } from "./behaviours/report.ts";
import { beforeOf } from "./conversation/before.ts";
import { type Exchange, exchangesOf } from "./conversation/exchanges.ts";
import { type Role, roleOf, type ToolRole } from "./conversation/roles.ts";
import { jsonIn, taskOf, userText } from "./conversation/task.ts";
import { selfContained } from "./question/self-contained.ts";
import type { Settings } from "./settings.ts";

/** What the engine says it is, where it is asked to speak and has nothing to quote. */
export const whatItIs =
  "This is an extractive engine, not a language model: it searches, reads and quotes documents through tools.";

/**
 * The next turn, from the conversation and the tools alone: planning where a plan can be submitted, merging where a
 * brief can, otherwise searching and reading until there is something to report.
 */
export function decide(prefix: Prefix, messages: Prompt, request: GenerateRequest, settings: Settings): Move {
  const offered = new Set(request.tools);
  const tools: ToolRole[] = prefix.tools
    .filter(({ name }) => offered.has(name))
    .map((schema) => ({ name: schema.name, schema, role: roleOf(schema) }));
  const choice = request.toolChoice ?? "auto";
  const forced = typeof choice === "object" ? choice.tool : undefined;
  const all = prefix.tools.map((schema) => ({ name: schema.name, schema, role: roleOf(schema) }));
  const task = selfContained(taskOf(messages), beforeOf(messages));
  const exchanges = exchangesOf(messages);
  // What was read with a tool that is no longer offered still counts.
  const search = byRole(all, "search");
  const read = byRole(all, "read");
  const view = { task, exchanges, search, read, list: byRole(all, "list"), settings };

  if (choice === "none" || tools.length === 0) return spoken(request, task, inquiryOf(view));
  if (forced !== undefined) {
    const tool = all.find(({ name }) => name === forced);
    if (tool) return forcedMove(tool, messages, view);
  }
  const brief = byRole(tools, "brief");
  if (brief) return mergeMove(brief, materialOf(messages, task));
  const plan = byRole(tools, "plan");
  if (plan) return planMove({ task, exchanges, plan, list: byRole(tools, "list"), forced: false });
  const inquiry = inquiryOf(view);
  const next = inquireMove(
    { ...view, search: byRole(tools, "search"), read: byRole(tools, "read"), list: byRole(tools, "list") },
    inquiry,
  );
  if (next) return next;
  const report = byRole(tools, "report");
  if (report) {
    settings.onJudged?.(task, inquiry.judged);
    return reportMove(report, task, inquiry);
  }
  if (choice === "required") return forcedMove(tools[0]!, messages, view);
  return spoken(request, task, inquiry);
}

function byRole<T extends Role["type"]>(
  tools: readonly ToolRole[],
  type: T,
): ToolRole<Extract<Role, { type: T }>> | undefined {
  return tools.find((tool): tool is ToolRole<Extract<Role, { type: T }>> => tool.role.type === type);
}

const materialOf = (messages: Prompt, task: string): ReturnType<typeof materialIn> => {
  const given = messages.findLast(
    (message) => message.role === "user" && jsonIn(userText(message)) !== undefined,
  );
  return materialIn((given && jsonIn(userText(given))) ?? {}, task);
};

type View = Parameters<typeof inquiryOf>[0];

/** The call of one tool, whatever it is, with what there is now. */
function forcedMove(tool: ToolRole, messages: Prompt, view: View): Move {
  const { role } = tool;
  switch (role.type) {
    case "plan":
      return planMove({
        task: view.task,
        exchanges: view.exchanges,
        plan: { ...tool, role },
        list: view.list,
        forced: true,
      });
    case "brief":
      return mergeMove({ ...tool, role }, materialOf(messages, view.task));
    case "report":
      return reportMove(tool, view.task, inquiryOf(view));
    case "search":
      return called(tool, { [role.query]: view.task }, view.task);
    default:
      return called(tool, knownOf(view), view.task);
  }
}

const called = (tool: ToolRole, known: Record<string, unknown>, text: string): Move => ({
  reasoning: `Calling ${tool.name}, as asked.`,
  calls: [{ tool: tool.name, args: fill(tool.schema.parameters, known, text) }],
});

/** Values for a tool it knows nothing about: the last thing a search named, and the task. */
function knownOf({
  task,
  exchanges,
}: {
  readonly task: string;
  readonly exchanges: readonly Exchange[];
}): Record<string, unknown> {
  return { ...(exchanges.at(-1)?.args ?? {}), question: task, task, query: task, text: task };
}

/** A turn of text: what was found, or JSON of the schema that was asked for. */
function spoken(request: GenerateRequest, task: string, inquiry: Inquiry): Move {
  const found = inquiry.passages.length > 0;
  const text = found ? resultOf(inquiry, notFoundIn(task, inquiry)) : whatItIs;
  if (request.output === undefined) return say("Answering with what was read.", text);
  const known = {
    result: text,
    answer: text,
    summary: text,
    text,
    confidence: inquiry.passages[0]?.confidence ?? 0,
    sources: [...new Set(inquiry.passages.map(({ path }) => path))],
  };
  return say("Answering in the form asked for.", JSON.stringify(anything(request.output, known, text)));
}
