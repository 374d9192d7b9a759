import type { Counts } from "../text/words.ts";

/** A text as BM25 sees it. */
export interface Bag {
  readonly counts: Counts;
  /** Words in it. */
  readonly length: number;
}

/** What BM25 knows of the texts it compares. */
export interface Statistics {
  readonly texts: number;
  readonly averageLength: number;
  /** In how many texts a stem occurs. */
  readonly frequency: ReadonlyMap<string, number>;
}

export function statisticsOf(bags: readonly Bag[]): Statistics {
  const frequency = new Map<string, number>();
  let length = 0;
  for (const bag of bags) {
    length += bag.length;
    for (const stem of bag.counts.keys()) frequency.set(stem, (frequency.get(stem) ?? 0) + 1);
  }
  return { texts: bags.length, averageLength: bags.length === 0 ? 1 : length / bags.length, frequency };
}

/** How much each stem tells. */
export type Rarity = (stem: string) => number;

/** High where few texts have a stem, never negative. */
export const rarityIn =
  ({ texts, frequency }: Pick<Statistics, "texts" | "frequency">): Rarity =>
  (stem) => {
    const within = Math.min(texts, frequency.get(stem) ?? 0);
    return Math.log(1 + (texts - within + 0.5) / (within + 0.5));
  };

const k1 = 1.2;
const b = 0.75;

/**
 * How well a text matches the stems of a question.
 *
 * Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009),
 * https://doi.org/10.1561/1500000019
 */
export function bm25(
  stems: Iterable<string>,
  bag: Bag,
  { averageLength }: Statistics,
  rarity: Rarity,
): number {
  let score = 0;
  for (const stem of stems) {
    const times = bag.counts.get(stem);
    if (times === undefined) continue;
    const norm = k1 * (1 - b + (b * bag.length) / averageLength);
    score += (rarity(stem) * times * (k1 + 1)) / (times + norm);
  }
  return score;
}
