/** Characters of a title or a heading, at most. */
export const titleLength = 160;

/** Text in one line that fits: cut after a word, with `…`. */
export function shorten(text: string, most = titleLength): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  const cut = line.slice(0, most);
  const space = line[most - 1] === " " ? most - 1 : cut.lastIndexOf(" ");
  // Text without spaces is cut anywhere, but never within a character.
  const kept = space > most / 2 ? cut.slice(0, space) : cut.slice(0, -1).replace(/[\uD800-\uDBFF]$/, "");
  return `${kept.replace(/[\s,;:.–-]+$/, "")}…`;
}
