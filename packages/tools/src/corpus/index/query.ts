import { stopWords } from "./stop-words.ts";
import { queried } from "./words.ts";

/** A query, read. */
export interface Query {
  /** All its words, lower case, in their order. */
  readonly sequence: readonly string[];
  /** Words to find, lower case, each once. Empty: there is nothing to find. */
  readonly words: readonly string[];
  /** Those that stand next to each other. */
  readonly pairs: readonly string[];
  /** What stood in quotes: it must occur. */
  readonly phrases: readonly string[];
}

/** No sensible query has more words; of a longer one (a pasted page) the rarest can't be known, so the first count. */
const mostWords = 48;

/**
 * Reads a query of any kind, hostile ones included: words are alternatives, neighbours count more where they stand
 * together, quoted phrases must occur. Signs mean nothing.
 */
export function parseQuery(raw: string): Query {
  const text = raw.normalize("NFC");
  const phrases = [...text.matchAll(/"([^"]+)"|“([^”]+)”/g)]
    .map((found) => wordsOf(found[1] ?? found[2]!).join(" "))
    .filter((phrase) => phrase.includes(" "))
    .slice(0, 8);
  const all = wordsOf(text).slice(0, mostWords * 4);
  const telling = all.filter((word) => !stopWords.has(word));
  const words = [...new Set(telling.length ? telling : all)].slice(0, mostWords);
  return { sequence: all, words, pairs: neighbours(all, new Set(words)), phrases };
}

/** The same query with other words in place of some. What stands in quotes stays. */
export function respelt(query: Query, corrections: { readonly [word: string]: string }): Query {
  if (Object.keys(corrections).length === 0) return query;
  const change = (word: string): string => own(corrections, word) ?? word;
  const sequence = query.sequence.map(change);
  const words = [...new Set(query.words.map(change))];
  return { ...query, sequence, words, pairs: neighbours(sequence, new Set(words)) };
}

/** A word's correction: `constructor` has none by itself. */
export const own = (corrections: { readonly [word: string]: string }, word: string): string | undefined =>
  Object.hasOwn(corrections, word) ? corrections[word] : undefined;

/**
 * A query in [FTS5's syntax](https://www.sqlite.org/fts5.html#full_text_query_syntax); undefined where there is
 * nothing to find. Words that are everywhere hardly change an order and take long to rank by: while others are left,
 * they count only next to one of those.
 */
export function matchOf(query: Query, isEverywhere: (word: string) => boolean): string | undefined {
  if (query.words.length === 0) return undefined;
  const rarer = new Set(query.words.filter((word) => !isEverywhere(word)));
  const { words, pairs } = rarer.size > 1 ? onlyWith(rarer, query) : query;
  const any = [...words, ...pairs].map(quoted).join(" OR ");
  const must = query.phrases.map(quoted).join(" AND ");
  return must ? `${must} AND (${any})` : any;
}

const onlyWith = (rarer: ReadonlySet<string>, { pairs }: Query) => ({
  words: [...rarer],
  pairs: pairs.filter((pair) => pair.split(" ").some((word) => rarer.has(word))),
});

/** Telling words that stand next to each other. */
function neighbours(all: readonly string[], telling: ReadonlySet<string>): string[] {
  const pairs = new Set<string>();
  for (const [index, word] of all.entries()) {
    const next = all[index + 1];
    if (next && next !== word && telling.has(word) && telling.has(next)) pairs.add(`${word} ${next}`);
  }
  return [...pairs].slice(0, mostWords);
}

/** Text in its words, lower case. */
export const wordsOf = (text: string): string[] =>
  queried(text.toLowerCase()).match(/[\p{L}\p{M}\p{N}\p{Co}]+/gu) ?? [];

/** A word or words in a row, as FTS5 takes them. */
export const quoted = (text: string): string => `"${text.replaceAll('"', "")}"`;
