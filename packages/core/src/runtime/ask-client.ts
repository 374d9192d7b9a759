import type { Operation } from "effection";
import { words } from "../decisions/words.ts";
import type { Outcome } from "../values/call.ts";
import type { ClientCall } from "../values/client-call.ts";
import type { Execution } from "../values/hooks.ts";
import { dispatch } from "./begin-execution.ts";
import type { Call } from "./call-state.ts";
import { conclude, withdrawn } from "./execute-call.ts";
import { judge, judgeByDefault } from "./judge-execution.ts";
import { parkCall } from "./park.ts";
import type { Begun } from "./resumption.ts";
import { mayRetry, waitToRetry, waitUntil } from "./retry-call.ts";

/**
 * Parks a call of a client tool until its result is submitted. Nothing executes here; what comes back is judged like
 * any result, and a client whose result was not an attempt is asked again.
 */
export function* askClient(call: Call, from: Begun): Operation<Outcome> {
  const { agent, id, tool, identity, args, bound } = call;
  const { run } = agent.pool;
  const asked: ClientCall = { id, agent: agent.key, tool, identity, args: args.args };
  if (from.until !== undefined && (yield* waitUntil(call, from.until)).type === "withdrawn")
    return withdrawn(call);
  for (let { attempt } = from; ; attempt++) {
    // the client was asked before: it is the same question
    if (from.type === "first" || from.until !== undefined || attempt !== from.attempt)
      dispatch(call, attempt);
    const woken = yield* parkCall<unknown>(call, {
      reason: "client",
      enter: (wake) => run.clients.ask(asked, wake),
    });
    if (woken.type === "withdrawn") return withdrawn(call);
    const execution: Execution = { type: "returned", value: woken.value };
    const answer = bound.judged ? yield* judge(call, execution, attempt) : judgeByDefault(execution);
    if (answer.type !== "retry") return conclude(call, execution, answer);
    if (!mayRetry(call, attempt))
      return { type: "error", message: words.unavailable(bound.name, "its result says so") };
    if ((yield* waitToRetry(call, answer.afterMs)).type === "withdrawn") return withdrawn(call);
  }
}
