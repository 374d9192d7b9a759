import { stripVTControlCharacters } from "node:util";

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

/** The same on one line, cut to `length` characters. */
export function oneLine(text: string, length = 100): string {
  const line = printable(text.slice(0, length * 8))
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...line];
  return characters.length > length ? `${characters.slice(0, length - 1).join("")}…` : line;
}
