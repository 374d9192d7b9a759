import { stemmer } from "stemmer";

/** A word as snippets compare it: without accents, stemmed. */
export const stem = (word: string): string =>
  stemmer(
    word
      .toLowerCase()
      .normalize("NFD")
      .replace(/\p{M}+/gu, ""),
  );

/** The stems of a query's words. */
export const stemsOf = (words: Iterable<string>): ReadonlySet<string> => new Set([...words].map(stem));

/**
 * The stretch of a passage that holds most of the words, at most `size` characters, white space collapsed, cut
 * between words with `…`.
 */
export function snippetOf(passage: string, stems: ReadonlySet<string>, size = 400): string {
  const text = passage.replace(/\s+/g, " ").trim();
  if (text.length <= size) return text;
  const start = bestStart(text, stems, size);
  const from = start === 0 ? 0 : wordStart(text, start);
  const to = from + size >= text.length ? text.length : wordEnd(text, from + size);
  return `${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`;
}

/** Where the window begins that holds most different words, then most words; the start of a sentence if it can. */
function bestStart(text: string, stems: ReadonlySet<string>, size: number): number {
  const hits = [...text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)]
    .map((word) => ({ at: word.index, stem: stem(word[0]) }))
    .filter((hit) => stems.has(hit.stem));
  const first = hits[0];
  if (!first) return 0;
  let best = { score: 0, at: first.at, last: first.at };
  for (const [index, hit] of hits.entries()) {
    const inside = hits.slice(index).filter(({ at }) => at - hit.at < size * 0.8);
    const score = new Set(inside.map(({ stem }) => stem)).size * 10 + Math.min(9, inside.length);
    if (score > best.score) best = { score, at: hit.at, last: inside.at(-1)!.at };
  }
  const earliest = Math.max(0, best.last + 24 - size);
  const sentence = Math.max(
    text.lastIndexOf(". ", best.at),
    text.lastIndexOf("? ", best.at),
    text.lastIndexOf("! ", best.at),
  );
  if (sentence < 0 && earliest === 0) return 0;
  return sentence + 2 >= earliest && sentence >= 0 ? sentence + 2 : Math.max(earliest, best.at - 40, 0);
}

const wordStart = (text: string, at: number): number => {
  if (text[at - 1] === " ") return at;
  const space = text.indexOf(" ", at);
  return space < 0 || space - at > 40 ? at : space + 1;
};

const wordEnd = (text: string, at: number): number => {
  const space = text.lastIndexOf(" ", at);
  return space < at - 40 ? at : space;
};
