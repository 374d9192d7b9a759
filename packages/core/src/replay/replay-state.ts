import { hooksOf } from "../decisions/bind.ts";
import { Line } from "../decisions/line.ts";
import { Lineage } from "../decisions/lineage.ts";
import type { JournalEntry } from "../values/journal.ts";
import type { GuardReplay } from "./guard-replay.ts";
import { type RecordedFate, recordedCalls } from "./recorded-calls.ts";
import { type RecordedGenerations, recordedGenerations } from "./recorded-generations.ts";
import { ReplayedAgents } from "./replayed-agents.ts";
import { ReplayedFates } from "./replayed-fates.ts";
import { ReplayedPolicy } from "./replayed-policy.ts";
import { ReplayedTools } from "./replayed-tools.ts";
import { ReplayedTrees } from "./replayed-trees.ts";
import { ReplayedTurns } from "./replayed-turns.ts";
import { StandingCalls } from "./standing-calls.ts";

/** How far a replay has come: who is there, what they have read, which calls stand in line, what became of the others. */
export interface ReplayState {
  /** What is on record. */
  readonly calls: ReadonlyMap<string, RecordedFate>;
  readonly generations: RecordedGenerations;
  readonly tools: ReplayedTools;
  readonly policy: ReplayedPolicy;
  readonly fates: ReplayedFates;
  readonly turns: ReplayedTurns;
  readonly trees: ReplayedTrees;
  readonly agents: ReplayedAgents;
  readonly line: Line;
  readonly cohort: Lineage;
  readonly standing: StandingCalls;
}

/** A replay before its first entry. */
export function createReplay(
  entries: readonly JournalEntry[],
  { tools, hooks = [], guards, ownTurns, ...policy }: GuardReplay,
): ReplayState {
  const calls = recordedCalls(entries);
  const fates = new ReplayedFates(calls);
  const line = new Line();
  return {
    calls,
    generations: recordedGenerations(entries),
    fates,
    turns: new ReplayedTurns(policy),
    trees: new ReplayedTrees(policy.wallClock),
    agents: new ReplayedAgents((happening) => fates.note(happening), ownTurns),
    line,
    cohort: Lineage.empty(),
    standing: new StandingCalls(),
    policy: new ReplayedPolicy(policy, [...tools.flatMap(hooksOf), ...hooks]),
    tools: new ReplayedTools({ tools, hooks, ...(guards ? { guards } : {}) }, ({ guards }) => {
      for (const guard of guards) if (guard.type === "keyed") line.register(guard.key);
    }),
  };
}
