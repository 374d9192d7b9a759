import type { Tool } from "@agentpool/core";
import { type Corpus, corpusTools, useCorpus } from "@agentpool/tools";
import type { Operation } from "effection";
import type { Harness } from "./harness.ts";
import { loadProgram } from "./load-program.ts";
import type { HarnessProgram } from "./program.ts";

/** What a harness works with: its program, its documents, and the tools of both. */
export interface HarnessTools {
  readonly program: HarnessProgram | undefined;
  readonly corpus: Corpus | undefined;
  readonly tools: readonly Tool[];
}

/** The tools of a harness, for as long as the scope. `onReading` is told while documents are read into their index. */
export function* useTools(
  harness: Harness,
  onReading?: (done: number, total: number) => void,
): Operation<HarnessTools> {
  const program = yield* loadProgram(harness);
  const corpus = harness.corpus && (yield* useCorpus({ ...harness.corpus, progress: onReading }));
  const tools = [...(corpus ? corpusTools(corpus) : []), ...(program?.tools ?? [])];
  return { program, corpus, tools };
}
