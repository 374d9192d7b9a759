import { type ExtractiveOptions, extractive } from "@agentpool/models";
import { type Brief, research } from "@agentpool/research";
import { type Corpus, corpusTools } from "@agentpool/tools";
import type { Operation } from "effection";
import type { Quoted } from "./hit.ts";

/** Runs the whole job on one question: plan, agents with their guards, synthesis. */
export const briefOn = (corpus: Corpus, question: string, engine: ExtractiveOptions): Operation<Brief> =>
  research({
    question,
    model: extractive(engine),
    tools: corpusTools(corpus),
    verifier: corpus,
    guards: { query_dedup: { scope: "cohort" } },
  });

/** A brief's quotations in the order a reader meets the best ones: each section's first, then each one's second. */
export function quotationsOf({ sections }: Brief): Quoted[] {
  const most = Math.max(0, ...sections.map(({ quotations }) => quotations.length));
  return Array.from({ length: most }, (_, place) =>
    sections.flatMap(({ quotations }) => quotations[place] ?? []),
  ).flat();
}
