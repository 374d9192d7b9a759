import { stem } from "./snippet.ts";
import { plainOf } from "./words.ts";

/** The words of a query that tell, and how much each does. */
export interface Telling {
  /** All words of the query in their order, those that tell nothing included: `attached to` is a pair. */
  readonly sequence: readonly string[];
  readonly words: readonly { readonly word: string; readonly weight: number }[];
}

/** What a passage has of a query's words. Sets of words are bits of a number; shares are 0 to 1. */
export interface Evidence {
  /** The words that occur at all. */
  readonly words: number;
  /** Of the weight of all words, what one sentence has. */
  readonly sentence: number;
  /** What two sentences in a row have. */
  readonly neighbours: number;
  /** Of the query's pairs of neighbouring words, those that one sentence has. */
  readonly pairs: number;
}

/** As many words as a number has bits to spare; of more, the rarest count. */
const mostWords = 30;

/** Reads passages for a query's words. Their text is as {@link plainOf} gives it. */
export interface EvidenceReader {
  read(text: string): Evidence;
  /** Of the weight of all words, that of these. */
  share(words: number): number;
}

interface Term {
  readonly bit: number;
  readonly weight: number;
  /** Words of the query that follow one of this stem somewhere, and those that stand before it. */
  readonly after: string[];
  readonly before: string[];
}

/**
 * Finds a query's words in texts in one pass, without cutting them into words and sentences: a text is looked through
 * for what the words begin with, and only what is found is stemmed.
 */
export function evidenceReader({ sequence, words }: Telling): EvidenceReader {
  const terms = new Map<string, Term>();
  const beginnings = new Set<string>();
  for (const { word, weight } of [...words].sort((a, b) => b.weight - a.weight)) {
    const key = stem(word);
    if (terms.has(key) || terms.size === mostWords) continue;
    terms.set(key, { bit: 1 << terms.size, weight, after: [], before: [] });
    beginnings.add(sharedBeginning(plainOf(word), key));
  }
  const pairs = new Set<string>();
  const stems = sequence.map(stem);
  for (let at = 1; at < sequence.length; at++) {
    const [left, right] = [stems[at - 1]!, stems[at]!];
    if (left === right || pairs.has(`${left} ${right}`)) continue;
    if (!terms.has(left) && !terms.has(right)) continue;
    pairs.add(`${left} ${right}`);
    if (!terms.has(right)) terms.get(left)!.after.push(plainOf(sequence[at]!));
    if (!terms.has(left)) terms.get(right)!.before.push(plainOf(sequence[at - 1]!));
  }
  const list = [...terms.values()];
  const total = list.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const share = (bits: number): number => {
    let sum = 0;
    for (const { bit, weight } of list) if (bits & bit) sum += weight;
    return sum / total;
  };
  const pattern = patternOf(beginnings);
  const stemOf = new Map<string, string>();
  const stemmed = (word: string): string => {
    let found = stemOf.get(word);
    if (found === undefined) {
      found = stem(word);
      stemOf.set(word, found);
    }
    return found;
  };
  return {
    share,
    read(text) {
      let all = 0;
      let before = 0;
      let here = 0;
      let sentence = 0;
      let neighbours = 0;
      let most = 0;
      let end = 0;
      let last = "";
      const found = new Set<string>();
      const close = (): void => {
        sentence = Math.max(sentence, share(here));
        neighbours = Math.max(neighbours, share(here | before));
        most = Math.max(most, found.size);
        found.clear();
      };
      pattern.lastIndex = 0;
      for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
        const key = stemmed(match[0]);
        const term = terms.get(key);
        if (term === undefined) continue;
        const passed = sentencesIn(text, end, match.index);
        if (passed > 0) {
          close();
          before = passed === 1 ? here : 0;
          here = 0;
          last = "";
        }
        here |= term.bit;
        all |= term.bit;
        if (last !== "" && match.index === end + 1 && pairs.has(`${last} ${key}`))
          found.add(`${last} ${key}`);
        end = match.index + match[0].length;
        last = key;
        for (const word of term.after) if (followedBy(text, end, word)) found.add(`${key} ${word}`);
        for (const word of term.before) if (precededBy(text, match.index, word)) found.add(`${word} ${key}`);
      }
      close();
      return { words: all, sentence, neighbours, pairs: pairs.size === 0 ? 0 : most / pairs.size };
    },
  };
}

/** Words that begin with one of these. */
function patternOf(beginnings: Iterable<string>): RegExp {
  const any = [...beginnings].sort((a, b) => b.length - a.length).join("|");
  return any === "" ? /(?!)/g : new RegExp(`(?<![\\p{L}\\p{N}])(?:${any})[\\p{L}\\p{N}]*`, "gu");
}

function sharedBeginning(word: string, stem: string): string {
  let length = 0;
  while (length < stem.length && word[length] === stem[length]) length++;
  return word.slice(0, Math.max(1, length));
}

/** How many sentences end between two places; two or more count as two. */
function sentencesIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to && count < 2; at++) {
    const sign = text.charCodeAt(at);
    if ((sign === 46 || sign === 33 || sign === 63) && text.charCodeAt(at + 1) === 32) count++;
  }
  return count;
}

const isLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 127;

const followedBy = (text: string, end: number, word: string): boolean =>
  text.startsWith(word, end + 1) && !isLetter(text.charCodeAt(end + 1 + word.length));

const precededBy = (text: string, start: number, word: string): boolean =>
  text.startsWith(word, start - 1 - word.length) &&
  start > word.length &&
  (start - 1 - word.length === 0 || !isLetter(text.charCodeAt(start - 2 - word.length)));
