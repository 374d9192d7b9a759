/** Characters that nobody sees and a model reads: controls, direction marks, tags, and what has no width. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;

/** A server's words as they may be shown: what cannot be seen is taken out, and what is too long is cut. */
export function clean(text: string, most: number): string {
  const seen = text.replace(UNSEEN, (sign) => (sign === "\n" || sign === "\t" ? sign : "")).trim();
  return seen.length <= most ? seen : `${seen.slice(0, most - 1)}…`;
}
