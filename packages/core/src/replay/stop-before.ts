import { addSpent, affords, nothingSpent, SHORT_TURN, type Spent } from "../decisions/spend.ts";
import type { Budget } from "../values/budget.ts";
import type { ReplayedStop } from "./fate.ts";
import type { ReplayedLimits } from "./guard-replay.ts";
import { type RecordedGeneration, spentIn } from "./recorded-generations.ts";
import type { ReplayedTree } from "./replayed-tree.ts";

/** What decides whether an agent takes a turn. */
export interface TurnAsked {
  readonly generation: RecordedGeneration;
  readonly tree: ReplayedTree;
  /** Those that hold for this agent. */
  readonly limits: ReplayedLimits;
  /** The turn with which its calls were used up. */
  readonly lastTurn: number;
}

/** Which limit stops an agent before a turn; undefined: none. In the order in which a run asks. */
export function stopBefore(asked: TurnAsked): ReplayedStop | undefined {
  const { generation, tree, limits, lastTurn } = asked;
  if (tree.isWinding) return "wallClock";
  if (generation.turn > lastTurn) return "maxToolCalls";
  if (generation.turn > (limits.maxTurns ?? Number.POSITIVE_INFINITY)) return "maxTurns";
  const { maxTokens, maxCost } = limits;
  if (maxTokens !== undefined && affordable({ maxTokens }, asked) !== "turn") return "maxTokens";
  if (maxCost !== undefined && affordable({ maxCost }, asked) !== "turn") return "maxCost";
  return undefined;
}

/** Whether an agent that is stopped can still report. */
export const canReport = (asked: TurnAsked): boolean =>
  !asked.tree.isOver && affordable(asked.limits, asked) !== "nothing";

/** What is left for a turn: those under way count with what they came to use, this one with what it would. */
function affordable(
  limits: Pick<Budget, "maxTokens" | "maxCost">,
  { tree, generation }: TurnAsked,
): ReturnType<typeof affords> {
  const reserved = [...tree.underWay].map(spentIn).reduce(addSpent, nothingSpent);
  return affords(limits, tree.spent, reserved, expected(generation, tree));
}

/** What it had to read, and as much as the longest turn so far; dollars as it came to cost: its price is not on record. */
function expected(generation: RecordedGeneration, { longestTurn }: ReplayedTree): Spent {
  const { cost } = spentIn(generation);
  return { tokens: generation.input + Math.max(SHORT_TURN, longestTurn), cost };
}
