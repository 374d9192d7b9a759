import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Lines } from "../corpus/corpus.ts";
import { between, said, unread } from "./ranges.ts";

const range = fc
  .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 20 }))
  .map(([from, more]): Lines => [from, from + more]);
const linesOf = (ranges: readonly Lines[]) => {
  const lines = new Set<number>();
  for (const [from, to] of ranges) for (let line = from; line <= to; line++) lines.add(line);
  return lines;
};

test("what is unread is what was asked for without what was read, line by line", () => {
  fc.assert(
    fc.property(range, fc.array(range), (asked, read) => {
      const before = linesOf(read);
      const expected = [...linesOf([asked])].filter((line) => !before.has(line));
      expect([...linesOf(unread(asked, read))]).toEqual(expected);
    }),
  );
});

test("gaps and what lies between them cover the range from first to last gap", () => {
  fc.assert(
    fc.property(range, fc.array(range), (asked, read) => {
      const gaps = unread(asked, read);
      if (gaps.length === 0) return;
      const covered = [...linesOf([...gaps, ...between(gaps)])].sort((a, b) => a - b);
      expect(covered).toEqual([...linesOf([[gaps[0]![0], gaps.at(-1)![1]]])]);
    }),
  );
});

test("ranges are said in words", () => {
  expect(said([[4, 4]])).toBe("line 4");
  expect(said([[4, 9]])).toBe("lines 4–9");
  expect(
    said([
      [1, 3],
      [8, 8],
      [10, 11],
    ]),
  ).toBe("lines 1–3, 8 and 10–11");
});
