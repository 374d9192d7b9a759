import { evidenceReader, type Telling } from "./evidence.ts";

/** A passage that the index found, with its [bm25](https://www.sqlite.org/fts5.html#the_bm25_function): less is better. */
export type Candidate = readonly [id: number, document: number, bm25: number, plain: string];

export interface Scored {
  readonly id: number;
  /** Higher is better. */
  readonly score: number;
}

/**
 * What each share of the evidence is worth, beside the index' own score as a share of the best one's. Nothing hangs on
 * the figures: twice or half as much of one finds as many answers.
 */
const worth = { bm25: 1, sentence: 0.5, neighbours: 0.5, pairs: 1, document: 1 };

/**
 * Orders what the index found by what it can't see: whether the query's words stand in one sentence or two, next to
 * each other as in the query, and whether the other passages found of the document have the rest of them.
 */
export function rescored(candidates: readonly Candidate[], telling: Telling): Scored[] {
  const reader = evidenceReader(telling);
  const best = candidates.reduce((least, [, , bm25]) => Math.min(least, bm25), -1e-9);
  const inDocument = new Map<number, number>();
  const read = candidates.map(([id, document, bm25, plain]) => {
    const evidence = reader.read(plain);
    inDocument.set(document, (inDocument.get(document) ?? 0) | evidence.words);
    return { id, document, evidence, bm25: bm25 / best };
  });
  return read
    .map(({ id, document, evidence, bm25 }) => ({
      id,
      score:
        worth.bm25 * bm25 +
        worth.sentence * evidence.sentence +
        worth.neighbours * evidence.neighbours +
        worth.pairs * evidence.pairs +
        worth.document * reader.share(inDocument.get(document)!),
    }))
    .sort((a, b) => b.score - a.score || a.id - b.id);
}

/** How much a word tells that so many of all passages have. */
export const rarity = (having: number, all: number): number =>
  Math.log(1 + (all - having + 0.5) / (having + 0.5));
