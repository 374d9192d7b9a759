const cjk =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const cjkRun = new RegExp(`${cjk.source}+`, "gu");
const compound = /[\p{Lu}\p{Ll}\d]*\p{Ll}\p{Lu}[\p{L}\d]*/gu;

/**
 * Text as it is indexed. Scripts that put no spaces between words get one between their characters, so that a query
 * finds its characters in a row; names like `useAbortSignal` are followed by their parts.
 */
export function indexed(text: string): string {
  const parted = text.replace(compound, (name) => `${name} ${partsOf(name)}`);
  return cjk.test(parted) ? spaced(parted) : parted;
}

/** The same for a piece of a query, whose names stay whole. */
export const queried = (text: string): string => (cjk.test(text) ? spaced(text) : text);

const spaced = (text: string): string => text.replace(cjkRun, (run) => ` ${[...run].join(" ")} `);

const partsOf = (name: string): string =>
  name.replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2").replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, "$1 $2");
