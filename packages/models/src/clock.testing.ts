import { type Clock, type ManualClock, manualClock } from "@agentpool/core";
import { createContext, type Operation } from "effection";

/** The context a pool gives its clock in: contexts are found by their names. */
const ClockContext = createContext<Clock>("agentpool:clock");

/** A clock to drive by hand, for everything in this scope. */
export function* useManualClock(): Operation<ManualClock> {
  const clock = manualClock();
  yield* ClockContext.set(clock);
  return clock;
}
