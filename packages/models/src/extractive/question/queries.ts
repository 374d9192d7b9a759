import type { Word } from "../text/words.ts";
import type { Query } from "./query.ts";

/** What a question starts with and a search has no use for. */
const start = /^\s*(?:what|which|who|whom|whose|when|where|why|how(?:\s+(?:many|much|long))?)\s+/i;

/**
 * What to search for, in the order to try: the question without its question word; then its words that look rare
 * (names, numbers, long words); then all that carry matter; then the longest ones, one by one.
 */
export function queries({ terms, text }: Query): string[] {
  const plain = text.replace(/[?？\s]+$/, "").replace(start, "");
  const telling = terms.filter(
    (word) => word.capital || /^\p{N}/u.test(word.plain) || word.plain.length >= 7,
  );
  const longest = [...terms].sort((a, b) => b.plain.length - a.plain.length).slice(0, 3);
  return [plain, said(telling), said(terms), ...longest.map(({ surface }) => surface)].filter(
    (candidate) => candidate.trim() !== "",
  );
}

const said = (list: readonly Word[]): string => list.map(({ surface }) => surface).join(" ");
