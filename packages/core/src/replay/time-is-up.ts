import type { Operation } from "effection";
import { keep } from "./keep.ts";
import type { ReplayState } from "./replay-state.ts";
import type { ReplayedTree } from "./replayed-tree.ts";
import { wake } from "./stand-in-line.ts";
import type { Standing } from "./standing.ts";

/** A tree winds down, so that its calls that wait are withdrawn; or it is over, with those that run. */
export function* timeIsUp(state: ReplayState, tree: ReplayedTree): Operation<void> {
  for (const standing of state.standing.all()) {
    if (state.trees.of(standing.recorded.agent) !== tree || goesOn(standing, tree)) continue;
    if (standing.ticket) state.line.leave(standing.ticket);
    keep(state, standing, { type: "withdrawn", by: "wallClock" });
  }
  yield* wake(state);
}

const goesOn = ({ runs, succeeded, parked }: Standing, { isOver }: ReplayedTree): boolean =>
  !parked && (succeeded !== undefined || (runs && !isOver));
