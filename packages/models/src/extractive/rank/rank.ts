import { asksForCode } from "../question/asks-for-code.ts";
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

/** A row of a table answers that has so much of the question. */
const rowCovers = 0.75;

/** Code, configuration, lists of links and the like are no answers, unless the question asks for such. */
function quotable({ text }: Query): (candidate: Candidate, features: Features) => boolean {
  if (asksForCode(text)) return () => true;
  return ({ sentence, block }, { coverage }) =>
    sentence.prose || (block.kind === "row" && coverage >= rowCovers);
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
  const answers = quotable(query);
  const isQuotable = candidates.list.map((candidate, at) => answers(candidate, rows[at]!));
  const highest = scores.reduce(
    (most, score, at) => (isQuotable[at] ? Math.max(most, score) : most),
    Number.NEGATIVE_INFINITY,
  );
  const powers = scores.map((score, at) => (isQuotable[at] ? Math.exp(score - highest) : 0));
  const total = powers.reduce((all, power) => all + power, 0);
  return candidates.list.map((candidate, at) => ({
    candidate,
    features: rows[at]!,
    mass: total === 0 ? 0 : powers[at]! / total,
  }));
}
