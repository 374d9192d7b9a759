import { hooksOf } from "../decisions/bind.ts";
import { Line } from "../decisions/line.ts";
import { Lineage } from "../decisions/lineage.ts";
import type { RecordedFate } from "./recorded-calls.ts";
import type { GuardReplay } from "./replay-guards.ts";
import { ReplayedAgents } from "./replayed-agents.ts";
import type { ReplayedFates } from "./replayed-fates.ts";
import { ReplayedPolicy } from "./replayed-policy.ts";
import { ReplayedTools } from "./replayed-tools.ts";
import type { Standing } from "./standing.ts";

/** How far a replay has come: who is there, what they have read, which calls stand in line, what became of the others. */
export interface ReplayState {
  readonly calls: ReadonlyMap<string, RecordedFate>;
  readonly tools: ReplayedTools;
  readonly policy: ReplayedPolicy;
  readonly fates: ReplayedFates;
  readonly agents: ReplayedAgents;
  readonly line: Line;
  readonly cohort: Lineage;
  /** Calls that passed their gates and are not over. */
  readonly standing: Map<string, Standing>;
}

/** A replay before its first entry. */
export function createReplay(
  calls: ReadonlyMap<string, RecordedFate>,
  fates: ReplayedFates,
  { tools, hooks = [], guards, ...policy }: GuardReplay,
): ReplayState {
  const line = new Line();
  return {
    calls,
    fates,
    line,
    cohort: Lineage.empty(),
    agents: new ReplayedAgents((happening) => fates.note(happening)),
    standing: new Map(),
    policy: new ReplayedPolicy(policy, [...tools.flatMap(hooksOf), ...hooks]),
    tools: new ReplayedTools({ tools, hooks, ...(guards ? { guards } : {}) }, ({ guards }) => {
      for (const guard of guards) if (guard.type === "keyed") line.register(guard.key);
    }),
  };
}
