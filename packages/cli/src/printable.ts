import { stripVTControlCharacters } from "node:util";
import cliTruncate from "cli-truncate";
import stringWidth from "string-width";

/**
 * Text from models, tools and documents, safe on a terminal: without escape sequences and control characters other
 * than line ends and tabs.
 */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(
    /(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    "",
  );
}

/** The same on one line, cut to so many columns of a terminal: wide characters have two. */
export function oneLine(text: string, columns = 100): string {
  const line = printable(text.slice(0, columns * 8))
    .replace(/\s+/g, " ")
    .trim();
  if (/^[\x20-\x7e]*$/.test(line)) return line.length > columns ? `${line.slice(0, columns - 1)}…` : line;
  if (stringWidth(line) <= columns) return line;
  const cut = cliTruncate(line, columns);
  // a wide character that only half fits is not left in
  return stringWidth(cut) > columns ? cliTruncate(line, columns - 1) : cut;
}
