import { distance } from "fastest-levenshtein";

/** Shorter stems are too easily alike. */
const shortest = 5;

/** Of one family, though their stems differ: `govern` and `government`, `constitut` and `constitution`. */
function sameFamily(left: string, right: string): boolean {
  const shorter = Math.min(left.length, right.length);
  if (shorter < 4 || left.length < shortest) return false;
  let common = 0;
  while (common < shorter && left[common] === right[common]) common++;
  return common >= Math.max(4, shorter - 1);
}

/** Likely one word, of which one was mistyped: `ghandi` and `gandhi`. */
function misspelt(left: string, right: string): boolean {
  if (left.length < shortest || left[0] !== right[0]) return false;
  const most = left.length >= 6 ? 2 : 1;
  if (Math.abs(left.length - right.length) > most) return false;
  return distance(left, right) <= most;
}

/**
 * The stems of a vocabulary that may stand for another one: of the same family, and, where the vocabulary does not
 * have the stem at all, those it may be a misspelling of.
 */
export function alikeIn(stem: string, vocabulary: ReadonlyMap<string, number>): string[] {
  if (!/^\p{L}+$/u.test(stem)) return [];
  const known = vocabulary.has(stem);
  return [...vocabulary.keys()].filter(
    (other) => other !== stem && (sameFamily(stem, other) || (!known && misspelt(stem, other))),
  );
}
