import type { Operation } from "effection";
import { copy } from "../decisions/copy.ts";
import { asError, reasonOf } from "../decisions/reason.ts";
import { toJson } from "../decisions/result.ts";
import { words } from "../decisions/words.ts";
import { Allowance } from "../effects/allowance.ts";
import { bounded, isPending } from "../effects/bounded.ts";
import type { Slot } from "../effects/permits.ts";
import type { Outcome } from "../values/call.ts";
import { DeadlineError } from "../values/errors.ts";
import type { ExecutedAnswer, Execution } from "../values/hooks.ts";
import { begin, isTerminal } from "./begin-execution.ts";
import { CallExecution, type Nest } from "./call-execution.ts";
import type { Call } from "./call-state.ts";
import { judge, judgeByDefault } from "./judge-execution.ts";
import type { Begun } from "./resumption.ts";
import { mayRetry, waitToRetry, waitUntil } from "./retry-call.ts";
import { ExecutionContext } from "./tool-context.ts";

/** Milliseconds for a call's executions together, where its tool does not say. */
export const TOOL_DEADLINE = 120_000;

/**
 * Runs a call's tool: as often as its retries allow, within one deadline for all executions together, holding a
 * permit only while the body runs.
 */
export function* executeCall(call: Call, nest: Nest, from: Begun): Operation<Outcome> {
  const { agent, bound } = call;
  const { run } = agent.pool;
  const allowance = new Allowance(run.clock, bound.tool.timeoutMs ?? TOOL_DEADLINE, call.past?.usedMs);
  if (from.until !== undefined && (yield* waitUntil(call, from.until)).type === "withdrawn")
    return withdrawn(call);
  // the grant writes into this before its waiter resumes: a halt between the two gives it back
  const slot: Slot = { held: false };
  for (let { attempt } = from; ; attempt++) {
    const execution = new CallExecution(call, attempt, slot, allowance);
    const context = new ExecutionContext(execution);
    let outcome: Execution;
    try {
      if (!(yield* begin(call, attempt, slot))) return withdrawn(call);
      nest.execution = execution;
      let value = bound.tool.execute(copy(call.args.args), context);
      if (isPending(value)) value = yield* bounded(value, allowance);
      outcome = { type: "returned", value: toJson(value) };
    } catch (error) {
      outcome = { type: "threw", error: asError(error) };
    } finally {
      nest.execution = undefined;
      context.end();
      run.tools.release(slot);
    }
    const answer =
      bound.judged && !isTerminal(call) ? yield* judge(call, outcome, attempt) : judgeByDefault(outcome);
    if (answer.type !== "retry") return conclude(call, outcome, answer);
    if (!mayRetry(call, attempt))
      return { type: "error", message: words.unavailable(bound.name, said(outcome)) };
    if ((yield* waitToRetry(call, answer.afterMs)).type === "withdrawn") return withdrawn(call);
  }
}

export const withdrawn = ({ bound }: Call): Outcome => ({
  type: "withdrawn",
  message: words.withdrawn(bound.name),
});

export function conclude(
  call: Call,
  execution: Execution,
  answer: Exclude<ExecutedAnswer, { type: "retry" }>,
): Outcome {
  if (answer.type === "fail") return { type: "error", message: answer.message ?? said(execution) };
  if (execution.type === "returned") return { type: "ok", value: execution.value };
  const { error } = execution;
  if (error instanceof DeadlineError && error.ms === (call.bound.tool.timeoutMs ?? TOOL_DEADLINE))
    return { type: "error", message: words.deadline(call.bound.name, error.ms) };
  return { type: "error", message: said(execution) };
}

const said = (execution: Execution): string =>
  execution.type === "returned" ? "its result says so" : reasonOf(execution.error);
