import type { Query } from "./query.ts";

/**
 * What to search for, in the order to try: all terms; then the ones that look rare (names, numbers, long words);
 * then the question as it stands; then its longest words one by one.
 */
export function queries({ terms, text }: Query): string[] {
  const surfaces = terms.map(({ surface }) => surface);
  const telling = terms.filter(
    (word) => word.capital || /^\p{N}/u.test(word.plain) || word.plain.length >= 7,
  );
  const longest = [...terms].sort((a, b) => b.plain.length - a.plain.length).slice(0, 3);
  return [
    surfaces.join(" "),
    telling.map(({ surface }) => surface).join(" "),
    text.replace(/[?？]+\s*$/, ""),
    ...longest.map(({ surface }) => surface),
  ].filter((candidate) => candidate.trim() !== "");
}
