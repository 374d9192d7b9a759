import type { ReplayedLimits } from "./guard-replay.ts";
import type { RecordedGeneration } from "./recorded-generations.ts";
import type { ReplayedAgent } from "./replayed-agent.ts";
import type { TurnFate } from "./replayed-run.ts";
import type { ReplayedTree } from "./replayed-tree.ts";
import { canReport, stopBefore, type TurnAsked } from "./stop-before.ts";

/** Which generations a replay comes to. */
export class ReplayedTurns {
  readonly #limits: ReplayedLimits;
  readonly #fates = new Map<RecordedGeneration, TurnFate>();

  constructor(limits: ReplayedLimits) {
    this.#limits = limits;
  }

  /** A generation is begun, or would be. */
  begin(generation: RecordedGeneration, agent: ReplayedAgent, tree: ReplayedTree): void {
    if (this.#fates.has(generation)) return;
    const { maxTurns: _, ...others } = this.#limits;
    const limits = agent.ownsTurns ? others : this.#limits;
    const fate = fateOf({ generation, tree, limits, lastTurn: agent.last }, agent);
    this.#fates.set(generation, fate);
    agent.isReporting = generation.forced && fate.type === "taken";
    if (fate.type === "missed") agent.stopped = fate.by;
    else {
      if (fate.type === "reports") agent.stopped = fate.by;
      agent.hasBegun = true;
      tree.begin(generation);
    }
  }

  of(generation: RecordedGeneration): TurnFate {
    return this.#fates.get(generation) ?? TAKEN;
  }
}

const TAKEN: TurnFate = { type: "taken" };

function fateOf(asked: TurnAsked, { stopped, hasBegun }: ReplayedAgent): TurnFate {
  if (stopped) return { type: "missed", by: stopped };
  if (asked.generation.forced) return asked.tree.isOver ? { type: "missed", by: "wallClock" } : TAKEN;
  const by = stopBefore(asked);
  if (!by) return TAKEN;
  // one that has not had a turn has nothing to report
  return { type: hasBegun && canReport(asked) ? "reports" : "missed", by };
}
