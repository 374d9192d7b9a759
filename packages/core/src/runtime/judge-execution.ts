import type { Operation } from "effection";
import { isMessage, readAnswer } from "../decisions/answers.ts";
import { copy } from "../decisions/copy.ts";
import type { ExecutedAnswer, Execution } from "../values/hooks.ts";
import { ToolRetryError } from "../values/tool.ts";
import { askHooks } from "./ask-hooks.ts";
import { type Call, infoOf } from "./call-state.ts";

/** Was that an attempt? Shows observers what was returned, and asks the hooks; nobody answers: the framework does. */
export function* judge(call: Call, execution: Execution, attempt: number): Operation<ExecutedAnswer> {
  const { agent, bound } = call;
  const about = () => ({ agent: agent.view, call: infoOf(call), run: agent.pool.run.id });
  const result = execution.type === "returned" ? execution.value : undefined;
  const error = execution.type === "threw" ? execution.error : undefined;
  if (execution.type === "returned")
    yield* askHooks(bound.hooks, {
      agent,
      call: call.id,
      moment: "onResult",
      input: () => ({ ...about(), result: copy(result) }),
      read: () => undefined,
    });
  const answer = yield* askHooks(bound.hooks, {
    agent,
    call: call.id,
    moment: "afterExecute",
    input: () => ({ ...about(), execution: copyOf(execution), result: copy(result), error, attempt }),
    read: readExecuted,
  });
  return answer ?? judgeByDefault(execution);
}

/** What hooks see: nothing they do to it changes what the model reads. */
const copyOf = (execution: Execution): Execution =>
  execution.type === "returned" ? { type: "returned", value: copy(execution.value) } : { ...execution };

const ATTEMPT: ExecutedAnswer = { type: "attempt" };

/** A {@link ToolRetryError} is retried, anything else is an attempt. */
export const judgeByDefault = (execution: Execution): ExecutedAnswer =>
  execution.type === "threw" && execution.error instanceof ToolRetryError
    ? { type: "retry", afterMs: execution.error.retryAfterMs }
    : ATTEMPT;

const readExecuted = (answer: unknown): ExecutedAnswer | undefined =>
  readAnswer<ExecutedAnswer>(answer, {
    attempt: () => true,
    retry: ({ afterMs }) => Number.isFinite(afterMs) && afterMs >= 0,
    fail: ({ message }) => message === undefined || isMessage(message),
  });
