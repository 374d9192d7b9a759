import type { Operation } from "effection";
import { windingOf } from "../decisions/life.ts";
import { Done } from "../effects/done.ts";
import type { Slot } from "../effects/permits.ts";
import type { Recorder } from "../effects/recorder.ts";
import type { Call } from "./call-state.ts";

/**
 * Waits until a call's tool may run: it has a permit in its slot, and its intent is on record. False: the run winds
 * down, and it does not run.
 */
export function begin(call: Call, attempt: number, slot: Slot): Operation<boolean> {
  const { run } = call.agent.pool;
  if (run.recorder) return beginOnRecord(call, attempt, slot, run.recorder);
  if (!run.tools.tryAcquire(slot)) return beginLater(call, attempt, slot);
  dispatch(call, attempt);
  return new Done(true);
}

function* beginLater(call: Call, attempt: number, slot: Slot): Operation<boolean> {
  if (!(yield* waitForPermit(call, slot))) return false;
  dispatch(call, attempt);
  return true;
}

/**
 * Holds a permit only from when its intent is on record, but for a tool that would do harm twice: there an intent that
 * is on record is a call that may have been made, so that it has its permit first. Of any other the intents of all that
 * wait share a commit; should the process end, they run again.
 */
function* beginOnRecord(call: Call, attempt: number, slot: Slot, recorder: Recorder): Operation<boolean> {
  const { tools } = call.agent.pool.run;
  const isAhead = call.bound.tool.idempotent && !isTerminal(call);
  if (isAhead) {
    noteIntent("record:intent", call, attempt);
    const durable = recorder.flush();
    if (durable) yield* durable;
    // meanwhile the run may have been asked to finish
    if (windingOf(call.agent.life)) return false;
  }
  if (!tools.tryAcquire(slot) && !(yield* waitForPermit(call, slot))) return false;
  dispatch(call, attempt);
  // that it runs is written soon, for who watches from elsewhere; nobody has to wait for it twice
  const durable = isAhead ? recorder.flushSoon() : recorder.flush();
  if (durable) yield* durable;
  return true;
}

/** False: the run winds down. A report is still taken then. */
function* waitForPermit(call: Call, slot: Slot): Operation<boolean> {
  const { life, pool } = call.agent;
  const { tools, parking } = pool.run;
  if (isTerminal(call)) {
    yield* tools.acquire(slot, life);
    return true;
  }
  const woken = yield* parking.park<void>(life, (wake) => tools.enqueue(slot, life, () => wake()));
  return woken.type === "woken";
}

/** The call that ends its agent: what its tool makes of it is what the agent reports. */
export const isTerminal = ({ agent, bound }: Pick<Call, "agent" | "bound">): boolean =>
  bound === agent.pool.terminal;

/** From here on it is a call that was made. One that ends its agent counts nowhere as a call. */
export function dispatch(call: Call, attempt: number): void {
  const { agent, id, tool, identity, args } = call;
  const { run } = agent.pool;
  if (isTerminal(call)) {
    if (run.recorder) noteIntent("record:executing", call, attempt);
    return;
  }
  if (!call.dispatched) {
    call.dispatched = true;
    agent.toolCallCount++;
    run.totals.toolCalls++;
  }
  run.emit({ type: "call:dispatched", agent: agent.key, call: id, tool, identity, args: args.args, attempt });
}

function noteIntent(
  type: "record:intent" | "record:executing",
  { agent, id, identity, args }: Call,
  attempt: number,
): void {
  agent.pool.run.note({
    type,
    agent: agent.key,
    call: id,
    identity,
    args: args.args,
    attempt,
  });
}
