import { type Effort, hardest, type Rule } from "@agentpool/core";

/** Restarts of an agent's task by effort: at `min` there are no reviews, so nothing is sent back. */
export const defaultRestarts: Readonly<Record<Effort, number>> = {
  min: 0,
  low: 2,
  medium: 3,
  high: 5,
  max: 10,
};

/** How thorough a review is. */
export type Depth = "low" | "medium" | "high";

/** The effort of a turn: its pool's, or the most that a rule which applies to it asks for. */
export const effortOf = (baseline: Effort, applying: readonly Rule[]): Effort =>
  applying.reduce<Effort>((most, { effort = "min" }) => hardest(most, effort), baseline);

const DEPTHS: Readonly<Record<Effort, number>> = { min: 0, low: 0, medium: 1, high: 2, max: 2 };

/**
 * How thorough a review has to be where the model's settings do not say: as the effort asks, more so where a rule of
 * high weight applies, less where only rules of low weight do.
 */
export function depthOf(effort: Effort, applying: readonly Rule[]): Depth {
  const weights = applying.map(({ weight = "medium" }) => weight);
  const more = weights.includes("high") ? 1 : 0;
  const less = weights.length > 0 && weights.every((weight) => weight === "low") ? 1 : 0;
  const at = Math.min(2, Math.max(0, DEPTHS[effort] + more - less));
  return at === 0 ? "low" : at === 1 ? "medium" : "high";
}
