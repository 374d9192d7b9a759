import stringWidth from "string-width";
import { expect, it } from "vitest";
import { oneLine } from "./printable.ts";
import { table } from "./table.ts";

const rows = [
  ["run", "calls", "question"],
  ["a", "7", "How long may a question be until it is cut?"],
  ["b", "12", "とても長い質問ですとても長い質問です"],
];

it("has every column as wide as it has to be, and numbers to the right", () => {
  expect(table(rows).split("\n").slice(0, 2)).toEqual([
    "run  calls  question",
    "a        7  How long may a question be until it is cut?",
  ]);
});

it("cuts one column to what the screen has room for, by columns of the screen", () => {
  const lines = table(rows, { width: 40, column: 2 }).trimEnd().split("\n");
  expect(lines.every((line) => stringWidth(line) <= 40)).toBe(true);
  expect(lines[1]).toMatch(/^a {8}7 {2}How long may a question.*…$/);
  // not to nothing: a narrower screen wraps
  expect(table(rows, { width: 10, column: 2 })).toContain("How long may a …");
});

it("cuts a text to one line of so many columns, wide characters, emoji and escapes among them", () => {
  expect(oneLine("a\n\u001b[31mb\u001b[0m  c", 20)).toBe("a b c");
  for (const text of ["x".repeat(50), "ワイド文字の検索".repeat(5), "👨‍👩‍👧‍👦 family ".repeat(9)]) {
    const line = oneLine(text, 21);
    expect(stringWidth(line)).toBeLessThanOrEqual(21);
    expect(stringWidth(line)).toBeGreaterThan(17);
    expect(line.endsWith("…")).toBe(true);
  }
  expect(oneLine("ワイド", 6)).toBe("ワイド");
});
