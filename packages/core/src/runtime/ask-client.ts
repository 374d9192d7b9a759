import type { Operation } from "effection";
import { toJson } from "../decisions/result.ts";
import { words } from "../decisions/words.ts";
import type { Outcome } from "../values/call.ts";
import type { ClientCall } from "../values/client-call.ts";
import type { Call } from "./call-state.ts";
import { parkCall } from "./park.ts";

/** Parks a call of a client tool until its result is submitted. Nothing executes here. */
export function* askClient(call: Call): Operation<Outcome> {
  const { agent, id, tool, identity, args, bound } = call;
  const { run } = agent.pool;
  const asked: ClientCall = { id, agent: agent.key, tool, identity, args: args.args };
  call.dispatched = true;
  agent.toolCallCount++;
  run.totals.toolCalls++;
  run.emit({
    type: "call:dispatched",
    agent: agent.key,
    call: id,
    tool,
    identity,
    args: args.args,
    attempt: 0,
  });
  const woken = yield* parkCall<unknown>(call, {
    reason: "client",
    enter: (wake) => run.clients.ask(asked, wake),
  });
  if (woken.type === "withdrawn") return { type: "withdrawn", message: words.withdrawn(bound.name) };
  return { type: "ok", value: toJson(woken.value) };
}
