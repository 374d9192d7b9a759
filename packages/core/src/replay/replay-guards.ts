import type { Operation } from "effection";
import type { JournalEntry } from "../values/journal.ts";
import type { GuardReplay } from "./guard-replay.ts";
import type { RecordedFate } from "./recorded-calls.ts";
import type { RecordedGeneration } from "./recorded-generations.ts";
import { replayEntry } from "./replay-entry.ts";
import { createReplay, type ReplayState } from "./replay-state.ts";
import type { ReplayedCall, ReplayedRun, ReplayedTurn } from "./replayed-run.ts";

/**
 * Takes a recorded run through its decisions again, under other settings, in the order of the record: its calls through
 * denies, grants, guards, limits and static approvals, its turns through the limits of turns, tokens, dollars and time.
 * No model and no tool runs; guards are asked as they are asked live, by the same code.
 *
 * A call that is refused here was not read by those that come after it; one that is allowed here and was refused then
 * is taken to succeed, and so is one that would wait for a person. An agent that a limit stops reports in place of its
 * next turn, and makes no further calls. It cannot know what a model would have done instead, nor with more than it
 * had; what a person or a reviewer would have said; and what a guard was whose code has changed.
 *
 * ```ts
 * const { calls, turns } = yield* replayGuards(yield* store.record(run), {
 *   tools,
 *   guards: { url_dedup: { scope: "cohort" } },
 *   maxTurns: 5,
 * });
 * ```
 */
export function* replayGuards(
  entries: readonly JournalEntry[],
  settings: GuardReplay,
): Operation<ReplayedRun> {
  const state = createReplay(entries, settings);
  for (const entry of entries) yield* replayEntry(state, entry);
  const turns = state.generations.all.map((generation) => replayedTurn(state, generation));
  const taken = turnsTaken(turns);
  const calls = [...state.calls.values()].map((call) => replayedCall(state, call, taken));
  return { calls, turns };
}

function replayedTurn({ turns }: ReplayState, generation: RecordedGeneration): ReplayedTurn {
  const { agent, turn, attempt, input, output, cost, ms, besides, isComplete } = generation;
  return {
    agent,
    turn,
    attempt,
    tokens: input + output + besides.tokens,
    cost: (cost ?? 0) + besides.cost,
    ms,
    unpriced: isComplete && cost === undefined,
    replayed: turns.of(generation),
  };
}

/** The last turn that each agent comes to. */
function turnsTaken(turns: readonly ReplayedTurn[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const { agent, turn, replayed } of turns)
    if (replayed.type !== "missed") last.set(agent, Math.max(last.get(agent) ?? 0, turn));
  return last;
}

function replayedCall(
  { fates, tools }: ReplayState,
  recorded: RecordedFate,
  lastTurns: ReadonlyMap<string, number>,
): ReplayedCall {
  const { call, agent, turn, tool, args, fate, asked, ms, tokens } = recorded;
  return {
    call,
    agent,
    turn,
    tool,
    args,
    recorded: fate,
    replayed: fates.of(call) ?? fate,
    asked: { recorded: asked !== undefined, replayed: fates.isAsked(call) },
    broken: fates.brokenOn(call),
    unknownTool: !tools.isKnown(tool),
    ms,
    tokens,
    turnsAfter: Math.max(0, (lastTurns.get(agent) ?? 0) - turn),
  };
}
