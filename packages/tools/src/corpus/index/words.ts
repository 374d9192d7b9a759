const cjk =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const cjkRun = new RegExp(`${cjk.source}+`, "gu");
// Bounded, so that a run of letters of any length takes linear time.
const hyphenated = /(\p{L}{1,40})[-\u00ad]\n(\p{Ll}{1,40})/gu;
const word = /[\p{L}\p{N}]+/gu;
const compound = /\p{Ll}\p{Lu}/u;

/**
 * Text as it is indexed. Scripts that put no spaces between words get one between their characters, so that a query
 * finds its characters in a row; names like `useAbortSignal` are followed by their parts, and a word that is broken
 * at a line's end by the whole word.
 */
export function indexed(text: string): string {
  const whole = text.replace(
    hyphenated,
    (halves, first: string, second: string) => `${halves} ${first}${second}`,
  );
  const parted = whole.replace(word, (name) => (compound.test(name) ? `${name} ${partsOf(name)}` : name));
  return cjk.test(parted) ? spaced(parted) : parted;
}

/** The same for a piece of a query, whose names stay whole. */
export const queried = (text: string): string => (cjk.test(text) ? spaced(text) : text);

const spaced = (text: string): string => text.replace(cjkRun, (run) => ` ${[...run].join(" ")} `);

const partsOf = (name: string): string =>
  name.replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2").replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, "$1 $2");

/** Indexed text as words in it are compared: lower case, without accents, white space collapsed. */
export function plainOf(text: string): string {
  const lower = text.toLowerCase().replace(/\s+/g, " ").trim();
  return ascii.test(lower)
    ? lower
    : lower
        .normalize("NFD")
        .replace(/\p{M}+/gu, "")
        .normalize("NFC");
}

const ascii = /^[\x20-\x7e]*$/;
