import type { Operation } from "effection";
import { isMessage, readAnswer } from "../decisions/answers.ts";
import { windingOf } from "../decisions/life.ts";
import { words } from "../decisions/words.ts";
import type { Outcome } from "../values/call.ts";
import type { ReturnAnswer, ReturnInput, ToolLifecycleHooks } from "../values/hooks.ts";
import type { RecordedReturn } from "../values/journal.ts";
import type { AgentState } from "./agent-state.ts";
import { type Asked, askHook } from "./ask-hooks.ts";
import { type Call, infoOf } from "./call-state.ts";
import type { Ending } from "./ending.ts";
import { executeReport } from "./execute-report.ts";
import { inForm } from "./in-form.ts";
import { turnOf } from "./recall-agent.ts";
import { type Restart, restartBy } from "./restart.ts";

/** Whether an agent may stop with what it said. */
export type Return =
  | { readonly type: "ended"; readonly ending: Ending }
  /** It goes on, and reads this in its return's place. */
  | { readonly type: "rejected"; readonly outcome: Extract<Outcome, { message: string }> }
  | Restart;

/** An agent wants to end: with a terminal call, or with text. */
export function* proposeReturn(agent: AgentState, said: Call | string): Operation<Return> {
  const known = turnOf(agent)?.returned;
  if (known) return recallReturn(agent, known);
  const { rejected, misformed } = agent;
  const returned = yield* decideReturn(agent, said);
  if (agent.pool.run.recorder && returned.type !== "restarted") {
    const why = agent.rejected && !rejected ? "hook" : agent.misformed && !misformed ? "form" : "failed";
    agent.pool.run.note({
      type: "record:return",
      agent: agent.key,
      turn: agent.turns,
      attempt: agent.attempt,
      verdict:
        returned.type === "ended"
          ? { type: "ended", ...returned.ending }
          : { type: "rejected", outcome: returned.outcome, why },
    });
  }
  return returned;
}

/** What was decided about a return, as it is on record. */
export function recallReturn(agent: AgentState, known: RecordedReturn): Exclude<Return, Restart> {
  if (known.type === "rejected") {
    agent.rejected ||= known.why === "hook";
    agent.misformed ||= known.why === "form";
    return { type: "rejected", outcome: known.outcome };
  }
  const formed = known.raw === undefined ? undefined : inForm(agent, known.raw);
  const { exit, report, reason, raw } = known;
  const result = formed && "value" in formed ? formed.value : known.result;
  return { type: "ended", ending: { exit, result, report, reason, raw } };
}

function* decideReturn(agent: AgentState, said: Call | string): Operation<Return> {
  const exit = typeof said === "string" ? "text" : "returned";
  const made: Outcome = typeof said === "string" ? { type: "ok", value: said } : yield* executeReport(said);
  if ("message" in made) return { type: "rejected", outcome: made };
  const formed = inForm(agent, made.value);
  if ("invalid" in formed) return badOutput(agent, formed.invalid);

  const call = typeof said === "string" ? undefined : said;
  const verdict = yield* askReturn(agent, exit, formed.value, call);
  if (verdict.type === "restart") {
    const restart = restartBy(agent, "onReturn", verdict.by, verdict.reasoning);
    return restart.type === "refused" ? { type: "rejected", outcome: restart.outcome } : restart;
  }
  if (verdict.type === "reject")
    return { type: "rejected", outcome: { type: "refused", guard: verdict.by, message: verdict.message } };
  const { result } = verdict;
  const raw = agent.options.output && result === formed.value ? { raw: made.value } : {};
  return { type: "ended", ending: { exit, result, report: call?.args.args, ...raw } };
}

/** The first answer in the wrong form may be corrected; the second ends the agent. */
function badOutput(agent: AgentState, why: string): Return {
  if (agent.misformed)
    return { type: "ended", ending: { exit: "invalid_output", result: undefined, reason: why } };
  agent.misformed = true;
  return { type: "rejected", outcome: { type: "refused", guard: "invalid", message: words.badOutput(why) } };
}

type ReturnVerdict =
  | { readonly type: "accept"; readonly result: unknown }
  | { readonly type: "reject"; readonly message: string; readonly by: string }
  | { readonly type: "restart"; readonly reasoning: string; readonly by: ToolLifecycleHooks };

/**
 * Everybody is asked: one who rejects is heard even after another accepted. A second return stands. Reviewers come
 * last; where one vouches for nothing, the return does not stand.
 */
function* askReturn(
  agent: AgentState,
  exit: "returned" | "text",
  result: unknown,
  call: Call | undefined,
): Operation<ReturnVerdict> {
  const final = agent.limit !== undefined || agent.isFull || windingOf(agent.life) !== undefined;
  const mayReject = !final && !agent.rejected && agent.turns < agent.options.maxTurns;
  const ask = (hook: ToolLifecycleHooks, refuses = false) =>
    askOne(agent, hook, { exit, result, call, final, refuses });
  let accepted: { readonly result: unknown } | undefined;
  for (const hook of call?.bound.hooks ?? agent.pool.hooks) {
    if (!hook.onReturn) continue;
    const asked = yield* ask(hook);
    const answer = asked.type === "answered" ? asked.answer : undefined;
    if (answer?.type === "reject" && mayReject) {
      agent.rejected = true;
      return { type: "reject", message: answer.message, by: hook.name ?? "onReturn" };
    }
    if (answer?.type === "restart" && !final)
      return { type: "restart", reasoning: answer.reasoning, by: hook };
    if (answer?.type === "accept" && answer.result !== undefined) accepted ??= { result: answer.result };
  }
  for (const hook of agent.pool.reviewers) {
    if (!hook.onReturn) continue;
    const by = hook.name ?? "onReturn";
    const asked = yield* ask(hook, true);
    if (asked.type === "failed") return { type: "reject", message: words.hookError(by), by };
    if (asked.type !== "answered" || asked.answer.type === "accept") continue;
    return asked.answer.type === "restart" ? { ...asked.answer, by: hook } : { ...asked.answer, by };
  }
  return { type: "accept", result: accepted ? accepted.result : result };
}

const askOne = (
  agent: AgentState,
  hook: ToolLifecycleHooks,
  {
    call,
    refuses,
    ...said
  }: Pick<ReturnInput, "exit" | "result" | "final"> & {
    readonly call: Call | undefined;
    readonly refuses: boolean;
  },
): Operation<Asked<ReturnAnswer>> =>
  askHook(hook, {
    agent,
    call: call?.id,
    moment: "onReturn",
    refuses,
    input: () => ({
      ...said,
      agent: agent.view,
      run: agent.pool.run.id,
      call: call && infoOf(call),
      turn: agent.turns,
      attempt: agent.attempt,
      restarts: agent.restarts.onReturn.get(hook) ?? 0,
    }),
    read: (given) =>
      readAnswer<ReturnAnswer>(given, {
        accept: () => true,
        reject: ({ message }) => isMessage(message),
        restart: ({ reasoning }) => isMessage(reasoning),
      }),
  });
