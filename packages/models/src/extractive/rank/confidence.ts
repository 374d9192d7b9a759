import type { Ranked } from "./rank.ts";

/**
 * How likely a passage holds the answer, 0 to 1: its share of the probability, lowered where it says little of what
 * the question is about, since then perhaps nothing that was read answers.
 */
export function confidence(parts: readonly Ranked[]): number {
  const mass = parts.reduce((all, part) => all + part.mass, 0);
  const covered = parts.reduce((most, { features }) => Math.max(most, features.coverage), 0);
  const about = 1 / (1 + Math.exp(-8 * (covered - 0.3)));
  return Math.round(Math.min(1, mass) * about * 100) / 100;
}
