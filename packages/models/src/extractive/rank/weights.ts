import type { FeatureName } from "./features.ts";

/** What each feature is worth: a sentence's score is the sum of its features, each times its weight. */
export type Weights = Readonly<Record<FeatureName, number>>;

/**
 * Written by `bench/quality/fit.ts`, which says how: those under which the sentences that hold an answer are likeliest.
 * They say how sentences answer, not what articles are about: weights of one everywhere put nearly as many right
 * sentences first, and those fitted to half of the articles as many in the other half.
 */
export const weights: Weights = {
  sentence: 1.83,
  block: 2.77,
  document: 1.71,
  match: 1.18,
  coverage: 0.17,
  coverageSquared: 1.03,
  plain: 0.91,
  before: 1.54,
  after: 0.79,
  around: 1.37,
  context: 0.8,
  alike: 1.7,
  phrases: 2.16,
  type: -0.02,
  kind: 1.46,
  near: 0.96,
  focus: 0.6,
  found: 2.1,
  foundType: 1.34,
  length: 0.43,
};
