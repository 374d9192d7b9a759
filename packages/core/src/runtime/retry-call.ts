import type { Operation } from "effection";
import type { Woken } from "../effects/parking.ts";
import type { Call } from "./call-state.ts";
import { parkCall } from "./park.ts";

/** Retries are limited per call and per run: a storm of failures must not become one of retries. */
export function mayRetry(call: Call, attempt: number): boolean {
  const { pool, key } = call.agent;
  const { run, budget } = pool;
  const ofCall = attempt < budget.maxToolRetries;
  if (ofCall && run.retries < run.budget.runRetries) return true;
  const spent = ofCall
    ? { budget: "runRetries", limit: run.budget.runRetries }
    : { budget: "maxToolRetries", limit: budget.maxToolRetries };
  run.emit({ type: "budget:exhausted", agent: key, ...spent });
  return false;
}

/** Parks a call until it is to run again. A wait that is no number of milliseconds is none. */
export function waitToRetry(call: Call, afterMs: number): Operation<Woken<void>> {
  const { run } = call.agent.pool;
  run.retries++;
  const until = run.clock.now() + Math.max(0, Number.isFinite(afterMs) ? afterMs : 0);
  return waitUntil(call, until);
}

/** Parks a call until its next attempt is due. */
export const waitUntil = (call: Call, until: number): Operation<Woken<void>> =>
  parkCall<void>(call, {
    reason: "retry",
    until,
    enter: (wake) => call.agent.pool.run.clock.at(until, () => wake()),
  });
