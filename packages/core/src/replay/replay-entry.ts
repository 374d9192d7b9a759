import type { Operation } from "effection";
import type { PoolEvent } from "../values/event.ts";
import type { JournalEntry } from "../values/journal.ts";
import { giveBack, isDenied, keep } from "./keep.ts";
import { spentOn } from "./recorded-generations.ts";
import { propose } from "./replay-gates.ts";
import type { ReplayState } from "./replay-state.ts";
import { enterStep } from "./replay-step.ts";
import { admit, enter, settle, wake } from "./stand-in-line.ts";
import { timeIsUp } from "./time-is-up.ts";

/** Takes a replay one entry of the record further, as a run goes through its calls. */
export function* replayEntry(state: ReplayState, entry: JournalEntry): Operation<void> {
  const { agents, standing, trees } = state;
  const tree = trees.heard(entry);
  if (tree?.turns()) yield* timeIsUp(state, tree);
  switch (entry.type) {
    case "pool:opened":
      return agents.open(entry);
    case "agent:spawned":
      return spawn(state, entry);
    case "record:forked":
      return agents.fork(entry);
    case "turn:started":
      return begin(state, entry);
    case "turn:completed":
      agents.of(entry.agent)?.turnCompleted(entry.turn);
      return end(state, entry);
    case "review:matched":
    case "review:passed":
    case "review:restarted":
    case "review:failed":
    case "model:limited":
    case "turn:failed":
      if (entry.type === "turn:failed") end(state, entry);
      if (!agents.of(entry.agent)?.stopped) trees.of(entry.agent)?.spend(spentOn(entry));
      return;
    case "call:proposed":
      return yield* propose(state, entry.call);
    case "record:step":
      return yield* enterStep(state, entry);
    case "call:dispatched": {
      const dispatched = standing.get(entry.call);
      if (dispatched) dispatched.runs = true;
      return yield* enter(state, dispatched);
    }
    case "call:parked": {
      const parked = standing.get(entry.call);
      if (parked) parked.runs = false;
      return;
    }
    case "call:refused":
      if (entry.guard === "approval") return yield* denied(state, entry.call);
      return yield* kept(state, entry.call);
    case "call:cancelled":
    case "call:substituted":
      return yield* kept(state, entry.call);
    case "call:settled":
      return yield* settle(state, entry.call, entry.outcome.type === "ok");
    case "call:withdrawn": {
      const withdrawn = standing.get(entry.call);
      if (withdrawn) giveBack(withdrawn);
      return yield* settle(state, entry.call, false);
    }
    case "call:admitted":
      return yield* admit(state, entry.call, entry.attended);
    case "agent:ended": {
      for (const ticket of [...(agents.of(entry.agent)?.holder.tickets ?? [])]) state.line.leave(ticket);
      return yield* wake(state);
    }
  }
}

/** An agent would not have been where the call that opened its pool is kept from running, or the run winds down. */
function spawn(
  { agents, standing, fates, trees }: ReplayState,
  spawned: Extract<PoolEvent, { type: "agent:spawned" }>,
): void {
  const call = agents.callerOf(spawned.pool) ?? "";
  const isGone = fates.isKept(call) || agents.of(spawned.parent)?.stopped === "start";
  const isLate = trees.of(spawned.agent)?.isWinding;
  agents.spawn(spawned, standing.get(call), isGone ? "start" : isLate ? "wallClock" : undefined);
}

function begin(
  { agents, trees, turns, generations }: ReplayState,
  entry: Extract<PoolEvent, { type: "turn:started" }>,
): void {
  const generation = generations.of.get(entry);
  const agent = agents.of(entry.agent);
  const tree = trees.of(entry.agent);
  if (generation && agent && tree) turns.begin(generation, agent, tree);
}

function end(
  { trees, generations }: ReplayState,
  entry: Extract<PoolEvent, { type: "turn:completed" | "turn:failed" }>,
): void {
  const generation = generations.of.get(entry);
  if (generation) trees.of(entry.agent)?.end(generation);
}

/** It had waited in line, after a person let it run or without one; here it may run, and is taken to succeed. */
function* kept(state: ReplayState, id: string): Operation<void> {
  const standing = state.standing.get(id);
  if (standing?.recorded.asked !== undefined) yield* enter(state, standing);
  yield* settle(state, id, true);
}

/** A person had said no, and says so here; or nobody is asked, and it runs. */
function* denied(state: ReplayState, id: string): Operation<void> {
  const standing = state.standing.get(id);
  if (!standing) return;
  if (isDenied(state, standing.recorded)) return keep(state, standing, standing.recorded.fate);
  yield* enter(state, standing);
  yield* settle(state, id, true);
}
