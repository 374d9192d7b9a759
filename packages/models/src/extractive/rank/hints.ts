import type { Frequencies, Hit } from "../conversation/findings.ts";
import { words } from "../text/words.ts";
import { type Rarity, rarityIn } from "./bm25.ts";

/** What searches tell beside their snippets. */
export interface Hints {
  /** How much the words of the queries tell in the whole corpus; undefined for a stem it was not told about. */
  readonly rarity: (stem: string) => number | undefined;
  /** What searches named, by source. */
  readonly hits: ReadonlyMap<string, readonly FoundPlace[]>;
}

export interface FoundPlace {
  readonly lines: readonly [from: number, to: number] | undefined;
  /** 1 for the first hit of the first search, less for those below and of later ones. */
  readonly worth: number;
}

/** A later search was made in poorer words: its hits say that much as much. */
const laterSearch = 0.7;

export const noHints: Hints = { rarity: () => undefined, hits: new Map() };

/** Gathers what the searches of an inquiry told. */
export function hintsOf(searches: readonly (readonly Hit[])[], frequencies: readonly Frequencies[]): Hints {
  const told = new Map<string, number>();
  let texts = 0;
  for (const { passages, words: counted } of frequencies) {
    texts = Math.max(texts, passages);
    // Several words of one stem: it occurs at least as often as the commonest of them.
    for (const [word, count] of counted) {
      for (const { stem } of words(word)) told.set(stem, Math.max(told.get(stem) ?? 0, count));
    }
  }
  const rarity = rarityIn({ texts, frequency: told });
  const hits = new Map<string, FoundPlace[]>();
  searches.forEach((found, search) => {
    for (const { source, lines, place } of found) {
      const hit = { lines, worth: laterSearch ** search / Math.sqrt(place + 1) };
      const list = hits.get(source);
      if (list) list.push(hit);
      else hits.set(source, [hit]);
    }
  });
  return { rarity: (stem) => (told.has(stem) ? rarity(stem) : undefined), hits };
}

/** Rarity in the whole corpus where it is known, else in what was read. */
export const hinted =
  (hints: Hints, read: Rarity): Rarity =>
  (stem) =>
    hints.rarity(stem) ?? read(stem);

/** Another passage of the same document was found: that says less. */
const elsewhere = 0.4;

/** How high searches put a passage: 0 for what they did not name. */
export function foundBy({ hits }: Hints, source: string, from: number, to: number): number {
  let best = 0;
  for (const { lines, worth } of hits.get(source) ?? []) {
    const here = lines === undefined || (lines[0] <= to && lines[1] >= from);
    best = Math.max(best, here ? worth : elsewhere * worth);
  }
  return best;
}
