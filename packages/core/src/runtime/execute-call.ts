import type { Operation } from "effection";
import { isMessage, readAnswer } from "../decisions/answers.ts";
import { copy } from "../decisions/copy.ts";
import { toJson } from "../decisions/result.ts";
import { words } from "../decisions/words.ts";
import { Allowance } from "../effects/allowance.ts";
import { bounded, isPending } from "../effects/bounded.ts";
import type { Outcome } from "../values/call.ts";
import { DeadlineError } from "../values/errors.ts";
import type { ExecutedAnswer, Execution } from "../values/hooks.ts";
import { ToolRetryError } from "../values/tool.ts";
import { askHook, askHooks, hasMoment } from "./ask-hooks.ts";
import { CallExecution, NestContext } from "./call-execution.ts";
import { type Call, infoOf } from "./call-state.ts";
import { parkCall } from "./park.ts";
import { ExecutionContext } from "./tool-context.ts";

const TOOL_DEADLINE = 120_000;

/**
 * Runs a call's tool: as often as its retries allow, within one deadline for all executions together, holding a
 * permit only while the body runs.
 */
export function* executeCall(call: Call): Operation<Outcome> {
  const { agent, bound } = call;
  const { run } = agent.pool;
  const allowance = new Allowance(run.clock, bound.tool.timeoutMs ?? TOOL_DEADLINE);
  for (let attempt = 0; ; attempt++) {
    const execution = yield* attemptOnce(call, attempt, allowance);
    if (execution === "withdrawn") return { type: "withdrawn", message: words.withdrawn(bound.name) };
    const answer = yield* judge(call, execution, attempt);
    if (answer.type !== "retry") return conclude(call, execution, answer);
    const wait = Math.max(0, Number(answer.afterMs) || 0);
    if (!mayRetry(call, attempt))
      return { type: "error", message: words.unavailable(bound.name, reasonOf(execution)) };
    run.retries++;
    const until = run.clock.now() + wait;
    const woken = yield* parkCall<void>(call, {
      reason: "retry",
      until,
      enter: (wake) => run.clock.at(until, () => wake()),
    });
    if (woken.type === "withdrawn") return { type: "withdrawn", message: words.withdrawn(bound.name) };
  }
}

/** One execution. The permit is written into a slot that the `finally` already owns when the wait for it begins. */
function* attemptOnce(call: Call, attempt: number, allowance: Allowance): Operation<Execution | "withdrawn"> {
  const { agent } = call;
  const { run } = agent.pool;
  const slot = { held: false };
  try {
    if (!run.tools.tryAcquire(slot)) {
      const woken = yield* run.parking.park<void>(agent.life, (wake) =>
        run.tools.enqueue(slot, agent.life, () => wake()),
      );
      if (woken.type === "withdrawn") return "withdrawn";
    }
    if (!call.dispatched) {
      call.dispatched = true;
      agent.toolCallCount++;
      run.totals.toolCalls++;
    }
    run.emit({
      type: "call:dispatched",
      agent: agent.key,
      call: call.id,
      tool: call.tool,
      identity: call.identity,
      args: call.args,
      attempt,
    });
    return yield* execute(new CallExecution(call, attempt, slot, allowance), allowance);
  } finally {
    run.tools.release(slot);
  }
}

/** Runs the body. What it throws is a value from here on; a halt is not. */
function* execute(execution: CallExecution, allowance: Allowance): Operation<Execution> {
  const { bound, args } = execution.call;
  const context = new ExecutionContext(execution);
  try {
    let value = bound.tool.execute(copy(args), context);
    if (isPending(value)) value = yield* bounded(nested(execution, value), allowance);
    return { type: "returned", value: toJson(value) };
  } catch (error) {
    return { type: "threw", error };
  } finally {
    context.end();
  }
}

/** An operation may open pools: they nest in its call. */
function nested(execution: CallExecution, value: unknown): unknown {
  if (typeof (value as { then?: unknown }).then === "function") return value;
  return {
    *[Symbol.iterator]() {
      yield* NestContext.set({ pool: execution.call.agent.pool, execution });
      return yield* value as Operation<unknown>;
    },
  };
}

/** Was that an attempt? */
function* judge(call: Call, execution: Execution, attempt: number): Operation<ExecutedAnswer> {
  const { hooks } = call.bound;
  const input = () => ({ agent: call.agent.view, call: infoOf(call), run: call.agent.pool.run.id });
  const result = execution.type === "returned" ? execution.value : undefined;
  const error = execution.type === "threw" ? execution.error : undefined;
  if (execution.type === "returned" && hasMoment(hooks, "onResult"))
    for (const hook of hooks)
      if (hook.onResult)
        yield* askHook(hook, {
          agent: call.agent,
          call: call.id,
          moment: "onResult",
          input: () => ({ ...input(), result: copy(result) }),
          read: () => undefined,
        });
  const answer = hasMoment(hooks, "afterExecute")
    ? yield* askHooks(hooks, {
        agent: call.agent,
        call: call.id,
        moment: "afterExecute",
        input: () => ({ ...input(), execution, result: copy(result), error, attempt }),
        read: readExecuted,
      })
    : undefined;
  if (answer) return answer;
  return error instanceof ToolRetryError
    ? { type: "retry", afterMs: error.retryAfterMs }
    : { type: "attempt" };
}

const readExecuted = (answer: unknown): ExecutedAnswer | undefined =>
  readAnswer<ExecutedAnswer>(answer, {
    attempt: () => true,
    retry: ({ afterMs }) => Number.isFinite(afterMs) && afterMs >= 0,
    fail: ({ message }) => message === undefined || isMessage(message),
  });

function conclude(
  call: Call,
  execution: Execution,
  answer: Exclude<ExecutedAnswer, { type: "retry" }>,
): Outcome {
  if (answer.type === "fail") return { type: "error", message: answer.message ?? reasonOf(execution) };
  if (execution.type === "returned") return { type: "ok", value: execution.value };
  const { error } = execution;
  if (error instanceof DeadlineError && error.ms === (call.bound.tool.timeoutMs ?? TOOL_DEADLINE))
    return { type: "error", message: words.deadline(call.bound.name, error.ms) };
  return { type: "error", message: reasonOf(execution) };
}

/** Retries are limited per call and per run; a storm must not become one of retries. */
function mayRetry(call: Call, attempt: number): boolean {
  const { pool, key } = call.agent;
  const { run } = pool;
  if (attempt < pool.budget.maxToolRetries && run.retries < run.budget.runRetries) return true;
  const [budget, limit] =
    attempt < pool.budget.maxToolRetries
      ? (["runRetries", run.budget.runRetries] as const)
      : (["maxToolRetries", pool.budget.maxToolRetries] as const);
  run.emit({ type: "budget:exhausted", agent: key, budget, limit });
  return false;
}

function reasonOf(execution: Execution): string {
  if (execution.type === "returned") return "its result says so";
  const { error } = execution;
  return error instanceof Error ? error.message || error.name : String(error);
}
