import { distance } from "fastest-levenshtein";
import { stem } from "./snippet.ts";

/** A word as the index has it, and how many passages do. */
export type Term = readonly [stem: string, passages: number];

/** Shorter words are too easily another word; longer ones may have two slips. */
const shortest = 6;
const long = 9;

/** Whether a word that nothing has may be a misspelling: letters alone, enough of them. */
export const maybeMisspelt = (word: string): boolean =>
  /^\p{L}+$/u.test(word) && stem(word).length >= shortest;

/** How many letters of a stem may be wrong, missing or too many. */
export const mostSlips = (stemmed: string): number => (stemmed.length >= long ? 2 : 1);

/**
 * The word that a misspelt one likely means: of the terms that begin with the same letter the one that differs least,
 * of equal ones the commonest. Undefined where none is near.
 */
export function likelyMeant(misspelt: string, terms: Iterable<Term>): string | undefined {
  const wanted = stem(misspelt);
  const letters = sorted(wanted);
  let least = mostSlips(wanted);
  let most = 0;
  let meant: string | undefined;
  for (const [term, passages] of terms) {
    if (term[0] !== wanted[0] || Math.abs(term.length - wanted.length) > least) continue;
    const slips = sorted(term) === letters ? rearranged : distance(wanted, term);
    if (slips > least || (slips === least && passages <= most)) continue;
    const word = wordOf(term);
    if (word === undefined) continue;
    [least, most, meant] = [slips, passages, word];
  }
  return meant;
}

/** Letters that changed places, as in `ghandi`, are likelier than wrong ones. */
const rearranged = 0.5;
const sorted = (word: string): string => [...word].sort().join("");

/** A word that is stemmed to a term: stems are not always their own stem. */
const wordOf = (term: string): string | undefined =>
  [term, `${term}e`, term.replace(/i$/, "y")].find((word) => stem(word) === term);
