export { type ExtractiveOptions, extractive } from "./extractive.ts";
export { featureNames as extractiveFeatures } from "./rank/features.ts";
export type { Ranked as JudgedSentence } from "./rank/rank.ts";
export { type Weights as ExtractiveWeights, weights as extractiveWeights } from "./rank/weights.ts";
