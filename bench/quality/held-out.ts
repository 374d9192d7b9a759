import { readFileSync } from "node:fs";
import type { ExtractiveWeights } from "@agentpool/models";
import type { WeightsFor } from "./measure.ts";

/** Weights fitted to the questions on some articles, for those on the others. */
export interface Fold {
  /** Whose questions had no part in it. */
  readonly heldOut: readonly string[];
  readonly weights: ExtractiveWeights;
}

/** The folds that `fit.ts` wrote. */
export const committedFolds = (): readonly Fold[] =>
  JSON.parse(readFileSync(new URL("fit/folds.json", import.meta.url), "utf8")) as Fold[];

/**
 * Weights that never saw the questions on an article: those of the fold that holds it out; for an article that no fit
 * saw, those the engine comes with.
 */
export function heldOutWeights(folds: readonly Fold[], shipped: ExtractiveWeights): WeightsFor {
  const byArticle = new Map(folds.flatMap(({ heldOut, weights }) => heldOut.map((doc) => [doc, weights])));
  return (doc) => byArticle.get(doc) ?? shipped;
}
