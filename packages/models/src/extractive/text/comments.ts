/** Where a line of a program stands; `text` is what it says, without the mark it begins with. */
export type CommentLine =
  | { readonly type: "code" }
  /** In a comment between marks. */
  | { readonly type: "block"; readonly text: string; readonly opens: boolean; readonly ends: boolean }
  /** In one whose lines each have a mark. */
  | { readonly type: "line"; readonly text: string };

const begins = /^\s*\/\*+(?:\s|$)/;
const ends = /\*\/\s*$/;
const ended = /^\s*\*+\/\s*$/;
const starred = /^\s*\*(?:\s+|$)/;
const slashed = /^\s*\/{2,}!?(?:\s+|$)/;

export const code: CommentLine = { type: "code" };

/** What a line is, seen after the one before: one that begins with `*` belongs to a comment only within it. */
export function commentLine(line: string, before: CommentLine): CommentLine {
  if (begins.test(line))
    return { type: "block", text: line.replace(begins, ""), opens: true, ends: ends.test(line) };
  if (before.type === "block" && !before.ends) {
    const text = ended.test(line) ? "" : line.replace(starred, "");
    return { type: "block", text, opens: false, ends: ends.test(line) };
  }
  return slashed.test(line) ? { type: "line", text: line.replace(slashed, "") } : code;
}

const opening = /^(?:\/\*+|\*|\/{2,}!?)\s+/;
const closing = /\s*\*+\/$/;

/** A sentence of a comment without the marks at its ends. Those between its lines stay, since it is quoted verbatim. */
export const withoutMarks = (sentence: string): string => sentence.replace(opening, "").replace(closing, "");
