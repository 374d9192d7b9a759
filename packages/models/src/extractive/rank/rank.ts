import type { Query } from "../question/query.ts";
import { type Candidate, candidatesOf, type ReadDocument } from "./candidates.ts";
import { type Features, featureNames, featuresOf } from "./features.ts";
import type { Hints } from "./hints.ts";
import type { Weights } from "./weights.ts";

/** A sentence with its chance of holding the answer. */
export interface Ranked {
  readonly candidate: Candidate;
  readonly features: Features;
  /** Share of the probability over all candidates: they add up to 1, as if one of them had to answer. */
  readonly mass: number;
}

/** Every sentence that was read, in reading order, with its share of the probability to answer. */
export function rank(
  query: Query,
  documents: readonly ReadDocument[],
  weights: Weights,
  hints?: Hints,
): Ranked[] {
  const candidates = candidatesOf(documents);
  const rows = featuresOf(query, candidates, hints);
  const scores = rows.map((row) => {
    let score = 0;
    for (const name of featureNames) score += weights[name] * row[name];
    return score;
  });
  const highest = scores.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY);
  const powers = scores.map((score) => Math.exp(score - highest));
  const total = powers.reduce((all, power) => all + power, 0);
  return candidates.list.map((candidate, at) => ({
    candidate,
    features: rows[at]!,
    mass: powers[at]! / total,
  }));
}
