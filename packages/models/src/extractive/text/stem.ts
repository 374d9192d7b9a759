import porter2 from "wink-porter2-stemmer";

const limit = 50_000;
const known = new Map<string, string>();

/**
 * The stem of an English word in lower case, by the Snowball English stemmer: `inventions` and `invented` are both
 * `invent`. A word of another language, a number or a name comes back nearly as it was, which is still good to
 * compare by.
 *
 * https://snowballstem.org/algorithms/english/stemmer.html
 */
export function stem(word: string): string {
  const found = known.get(word);
  if (found !== undefined) return found;
  if (known.size >= limit) known.clear();
  const made = /^[a-z']+$/.test(word) ? porter2(word) : word;
  known.set(word, made);
  return made;
}
