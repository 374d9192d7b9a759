import type { Tool } from "@agentpool/core";
import type { Corpus } from "../corpus/corpus.ts";
import { listTool } from "./list-tool.ts";
import { readTool } from "./read-tool.ts";
import { searchTool } from "./search-tool.ts";

export interface CorpusToolsOptions {
  /** Most characters of one result's text; what does not fit is left out with a notice. Default 24,000. */
  readonly maxChars?: number;
}

/**
 * `list`, `search` and `read` over a corpus. `search` carries the guard `query_dedup`, `read` carries `read_dedup`.
 *
 * ```ts
 * const corpus = yield* useCorpus({ paths: "docs" });
 * yield* agentPool({ model, tools: corpusTools(corpus), … });
 * ```
 */
export function corpusTools(corpus: Corpus, { maxChars = 24_000 }: CorpusToolsOptions = {}): Tool[] {
  return [listTool(corpus, maxChars), searchTool(corpus, maxChars), readTool(corpus, maxChars)];
}
