import type { Operation } from "effection";
import type { BoundGuard } from "../decisions/bind.ts";
import { windingOf } from "../decisions/life.ts";
import { words } from "../decisions/words.ts";
import { Later } from "../effects/later.ts";
import type { Outcome } from "../values/call.ts";
import { askClient } from "./ask-client.ts";
import type { Nest } from "./call-execution.ts";
import type { Call } from "./call-state.ts";
import { enterLine } from "./enter-line.ts";
import { executeCall, withdrawn } from "./execute-call.ts";
import { setPhase, settleState } from "./park.ts";
import { FIRST, resumptionOf } from "./resumption.ts";
import { settleCall } from "./settle-call.ts";

/** Gives a call its place in line. Calls of a step take theirs in the order they were emitted, before any runs. */
export function takePlace(call: Call): void {
  const { agent } = call;
  const { line, places } = agent.pool.run;
  call.ticket = places.get(call.id) ?? line.take(agent, call.identity, call.args);
  agent.calling++;
}

/**
 * A call from its place in line to its outcome. A call that does not come to execute returns what it had reserved.
 * `nest` is where pools opened by operations of this task nest: in this call while it runs.
 */
export function* runCall(call: Call, lookers: readonly BoundGuard[], nest: Nest): Operation<Outcome> {
  const { agent } = call;
  const since = agent.pool.run.clock.now();
  setPhase(agent, "calling");
  try {
    const from = call.past?.dispatched ? resumptionOf(call, call.past.dispatched.attempt) : FIRST;
    if (from.type === "unknown")
      return settleCall(call, { type: "error", message: words.unknown(call.bound.name) }, since);
    if (from.type === "incomplete")
      return settleCall(call, { type: "error", message: words.secretLost(call.bound.name) }, since);
    if (from.type === "first") {
      const entered = enterLine(call, lookers);
      const outcome = entered instanceof Later ? yield* entered.operation : entered;
      if (outcome) return settleCall(call, outcome, since);
    }
    // what has not begun when the run winds down does not begin
    if (windingOf(agent.life)) return settleCall(call, withdrawn(call), since);
    const isClient = call.bound.tool.target === "client";
    const ran = isClient ? yield* askClient(call, from) : yield* executeCall(call, nest, from);
    return settleCall(call, ran, since);
  } finally {
    agent.calling--;
    if (!call.dispatched) agent.release(call.bound.name);
    settleState(agent);
  }
}
