import { expect, test } from "vitest";
import { likelyMeant, maybeMisspelt, type Term } from "./likely-meant.ts";

const terms: Term[] = [
  ["gandhi", 3],
  ["govern", 9],
  ["surround", 5],
  ["maximum", 4],
  ["parliament", 2],
  ["harbour", 7],
  ["harbor", 8],
  ["universi", 1],
];

test.each([
  ["ghandi", "gandhi"],
  ["parliment", "parliament"],
  ["harbur", "harbor"],
  ["harbuor", "harbour"],
])("%s is taken for %s", (misspelt, meant) => {
  expect(likelyMeant(misspelt, terms)).toBe(meant);
});

test.each(["surrender", "minimum", "zandhi", "gandolf"])("%s is no misspelling of another word", (word) => {
  expect(likelyMeant(word, terms)).toBeUndefined();
});

test("short words, numbers and codes may be anything", () => {
  expect(["think", "1998", "x25abcd", "running"].filter(maybeMisspelt)).toEqual([]);
  expect(maybeMisspelt("ghandi")).toBe(true);
});
