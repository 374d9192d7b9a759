import { stem } from "./stem.ts";

/** One word of a text. */
export interface Word {
  /** As it stands in the text. */
  readonly surface: string;
  /** In lower case, without accents. */
  readonly plain: string;
  readonly stem: string;
  readonly capital: boolean;
}

const pattern = /\p{N}+(?:[.,]\p{N}+)*|[\p{L}\p{M}]+(?:['’]\p{L}+)*\p{N}*/gu;

/** Lower case, accents off, possessives off: `Brontë’s` is `bronte`. */
export const fold = (word: string): string =>
  word
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/['’]s?$/, "")
    .replace(/’/g, "'");

/** The words of a text in order. Numbers keep their separators: `7,000,000` is one word. */
export function words(text: string): Word[] {
  const found: Word[] = [];
  for (const [surface] of text.matchAll(pattern)) {
    const plain = fold(surface);
    const folded = /^\p{N}/u.test(plain) ? plain.replaceAll(",", "") : plain;
    found.push({ surface, plain: folded, stem: stem(folded), capital: /^\p{Lu}/u.test(surface) });
  }
  return found;
}

/** How often each stem occurs. */
export type Counts = ReadonlyMap<string, number>;

export function countStems(list: readonly Word[]): Counts {
  const counts = new Map<string, number>();
  for (const word of list) counts.set(word.stem, (counts.get(word.stem) ?? 0) + 1);
  return counts;
}
