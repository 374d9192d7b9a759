import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Heading } from "./corpus.ts";
import { headingAbove, passagesOf } from "./passages.ts";

const long = "word ".repeat(80).trim();
const ranges = (lines: readonly string[], headings: readonly Heading[] = []) =>
  passagesOf(lines, headings).map((passage) => [...passage.lines, passage.heading]);

test("paragraphs are passages, short ones stay with what follows them", () => {
  expect(ranges([long, "", long])).toEqual([
    [1, 1, ""],
    [3, 3, ""],
  ]);
  expect(ranges(["Do this:", "", long, "", long])).toEqual([
    [1, 3, ""],
    [5, 5, ""],
  ]);
  expect(ranges([long, "", "So it is."])).toEqual([[1, 3, ""]]);
});

test("a passage stays under its heading and knows those above", () => {
  const headings = [
    { level: 1, text: "Guide", line: 1 },
    { level: 2, text: "Setup", line: 3 },
    { level: 2, text: "Use", line: 5 },
    { level: 3, text: "Daily", line: 6 },
  ];
  const passages = passagesOf(["# Guide", "a", "## Setup", "b", "## Use", "### Daily", "c"], headings);
  expect(passages).toEqual([
    { lines: [2, 2], heading: "Guide", trail: ["Guide"] },
    { lines: [4, 4], heading: "Setup", trail: ["Guide", "Setup"] },
    { lines: [7, 7], heading: "Daily", trail: ["Guide", "Use", "Daily"] },
  ]);
  expect(headingAbove(headings, 4)).toBe("Setup");
  expect(headingAbove(headings, 5)).toBe("Use");
});

test("a document of nothing but headings is found by them", () => {
  expect(
    ranges(
      ["# A", "## B"],
      [
        { level: 1, text: "A", line: 1 },
        { level: 2, text: "B", line: 2 },
      ],
    ),
  ).toEqual([[1, 2, "A"]]);
});

test("a heading that labels a page or a declaration is part of its passage", () => {
  const headings = [
    { level: 1, text: "Page 1", line: 1 },
    { level: 1, text: "Page 2", line: 3 },
  ];
  expect(passagesOf(["first", "", "second"], headings, "label").map(({ lines }) => lines)).toEqual([
    [1, 1],
    [3, 3],
  ]);
});

test("every line that holds something is in exactly one passage, headings aside", () => {
  const line = fc.oneof(
    fc.constant(""),
    fc.constant("short"),
    fc.constant(long),
    fc.constant("# H"),
    fc.constant("x".repeat(3_000)),
  );
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 40 }), (lines) => {
      const headings = lines.flatMap((text, index) =>
        text === "# H" ? [{ level: 1, text: "H", line: index + 1 }] : [],
      );
      const covered = passagesOf(lines, headings).flatMap(({ lines: [from, to] }) =>
        Array.from({ length: to - from + 1 }, (_, index) => from + index),
      );
      expect(new Set(covered).size).toBe(covered.length);
      const held = lines.flatMap((text, index) => (text === "" || text === "# H" ? [] : [index + 1]));
      if (held.length) expect(held.filter((number) => !covered.includes(number))).toEqual([]);
    }),
  );
});
