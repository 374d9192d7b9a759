import type { Outcome } from "../values/call.ts";
import type { Fate } from "./fate.ts";
import type { RecordedFate } from "./recorded-calls.ts";
import type { ReplayState } from "./replay-state.ts";
import { isRefusedBy } from "./replayed-policy.ts";
import type { Standing } from "./standing.ts";

/** A call goes no further: it stands for nothing any more, and gives its part of the limits back. */
export function keep({ standing: all, fates }: ReplayState, standing: Standing, fate: Fate): void {
  giveBack(standing);
  all.delete(standing);
  fates.set(standing.recorded.call, fate);
}

/** A guard kept it. */
export const block = (state: ReplayState, standing: Standing, outcome: Outcome): void =>
  keep(state, standing, fateOf(outcome));

function fateOf(outcome: Outcome): Fate {
  if (outcome.type !== "refused" && outcome.type !== "cancelled" && outcome.type !== "substituted")
    return { type: "other" };
  const { type, guard } = outcome;
  return { type, guard, ...("message" in outcome ? { message: outcome.message } : {}) };
}

/** A call that does not come to execute gives its part of the limits back. */
export function giveBack(standing: Standing): void {
  if (!standing.reserved) return;
  standing.reserved = false;
  standing.agent.reserve(standing.bound.name, -1);
  standing.agent.last = Number.POSITIVE_INFINITY;
}

/** Whether a person is asked about this very call, and has said no: it has its part of the limits until then. */
export const isDenied = ({ fates }: ReplayState, recorded: RecordedFate): boolean =>
  fates.needsPerson(recorded.call) && isRefusedBy(recorded, "approval");
