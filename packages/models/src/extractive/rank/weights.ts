import type { FeatureName } from "./features.ts";

/** What each feature is worth: a sentence's score is the sum of its features, each times its weight. */
export type Weights = Readonly<Record<FeatureName, number>>;

/**
 * Written by `bench/quality/fit.ts`, which says how: those under which the sentences that hold an answer are likeliest.
 * They say how sentences answer, not what articles are about: weights of one everywhere put nearly as many right
 * sentences first, and those fitted to half of the articles as many in the other half.
 */
export const weights: Weights = {
  sentence: 1.78,
  block: 2.37,
  document: 1.44,
  match: 1.27,
  coverage: 0.15,
  coverageSquared: 0.93,
  plain: 0.85,
  before: 1.41,
  after: 0.73,
  around: 1.14,
  context: 0.85,
  alike: 1.79,
  phrases: 1.94,
  type: -0.15,
  kind: 1.49,
  near: 1.02,
  focus: 0.66,
  found: 2.82,
  foundType: 1.39,
  length: 0.42,
};
