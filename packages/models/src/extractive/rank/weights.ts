import type { FeatureName } from "./features.ts";

/** What each feature is worth: a sentence's score is the sum of its features, each times its weight. */
export type Weights = Readonly<Record<FeatureName, number>>;

/**
 * Written by `bench/quality/fit.ts`, which says how: those under which the sentences that hold an answer are likeliest.
 * They say how sentences answer, not what articles are about: weights of one everywhere put nearly as many right
 * sentences first, and those fitted to half of the articles as many in the other half.
 */
export const weights: Weights = {
  sentence: 1.94,
  block: 2.43,
  document: 1.41,
  match: 1.19,
  coverage: 0.8,
  coverageSquared: 0.98,
  before: 0.97,
  beforePronoun: 0.75,
  after: 0.46,
  around: 1.53,
  context: 0.62,
  alike: 1.04,
  pairs: 0.89,
  phrases: 1.39,
  type: 1.82,
  focus: 0.67,
  found: 2.58,
  length: 0.49,
};
