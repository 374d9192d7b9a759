import type { Ranked } from "./rank/rank.ts";
import type { Selection } from "./rank/select.ts";
import type { Weights } from "./rank/weights.ts";

/** What an engine was made with. */
export interface Settings {
  readonly selection: Selection;
  readonly weights: Weights;
  readonly onJudged?: (question: string, sentences: readonly Ranked[]) => void;
}
