import type { Model } from "@agentpool/core";
import { Conversation } from "../conversation.ts";
import { Done } from "../done.ts";
import type { Ranked } from "./rank/rank.ts";
import { weights as fitted, type Weights } from "./rank/weights.ts";
import { ExtractiveSession } from "./session.ts";
import type { Settings } from "./settings.ts";

export interface ExtractiveOptions {
  /** Most sentences of a quotation; a second one is added only where it adds to the answer. Default 2. */
  readonly sentences?: 1 | 2;
  /** Most quotations of a report. Default 5. */
  readonly quotations?: number;
  /** Most words of a report's quotations together. Default 300. */
  readonly words?: number;
  /** What each feature of a sentence is worth to it. Default: as fitted by `bench/quality/fit.ts`. */
  readonly weights?: Weights;
  /**
   * Told of each report: the question, and every sentence that was read with its features. To see why a sentence was
   * quoted, or to fit `weights` to questions of your own.
   */
  readonly onJudged?: (question: string, sentences: readonly Ranked[]) => void;
}

/**
 * The embedded engine: no key, no server, no download, the same turn for the same conversation every time.
 *
 * It is a `Model` like any other, and not a language model: it sees a session's messages and tools and acts only
 * through calls. Given a tool that takes questions it splits the question it was asked; given tools to search and to
 * read it searches, opens the best documents and reports the sentences that answer, word by word; given a tool that
 * takes sections it merges reports. With each quotation it says how sure it is, and it says what it did not find.
 *
 * ```ts
 * const result = yield* agentPool({
 *   model: extractive(),
 *   tools: [search, read],
 *   terminal: reportTool,
 *   orchestrate: parallel(["Who wrote Emma?"]),
 * });
 * ```
 */
export function extractive(options: ExtractiveOptions = {}): Model {
  const { sentences = 2, quotations = 5, words = 300, weights = fitted, onJudged } = options;
  const settings: Settings = {
    selection: { sentences, passages: quotations, words },
    weights,
    ...(onJudged ? { onJudged } : {}),
  };
  return {
    id: "extractive",
    // So that a budget in dollars can be kept where it stands in for another.
    price: { input: 0, output: 0 },
    lasting: true,
    open: (prefix) => new Done(new ExtractiveSession(Conversation.open(prefix), settings)),
  };
}
