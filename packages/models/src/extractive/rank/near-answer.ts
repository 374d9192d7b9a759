import { mayAnswer } from "../question/answer-type.ts";
import type { Query } from "../question/query.ts";
import type { Word } from "../text/words.ts";

/** At this distance in words a term says half as much. */
const half = 6;

/**
 * How near the question's terms stand to a word that may be the answer, 0 to 1: the best such word counts, each term by
 * its weight and its distance.
 */
export function nearAnswer(
  { type, stems }: Query,
  sentence: readonly Word[],
  weights: ReadonlyMap<string, number>,
): number {
  const terms = sentence.flatMap(({ stem }, at) => (weights.has(stem) ? [{ stem, at }] : []));
  let best = 0;
  sentence.forEach((word, at) => {
    if (stems.has(word.stem) || !mayAnswer(type, word)) return;
    const nearest = new Map<string, number>();
    for (const term of terms) {
      const near = half / (half + Math.abs(term.at - at));
      nearest.set(term.stem, Math.max(nearest.get(term.stem) ?? 0, near));
    }
    let worth = 0;
    for (const [stem, near] of nearest) worth += near * weights.get(stem)!;
    best = Math.max(best, worth);
  });
  return best;
}
