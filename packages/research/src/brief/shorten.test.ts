import { expect, test } from "vitest";
import { shorten } from "./shorten.ts";

test("what fits stays, in one line", () => {
  expect(shorten("  What\n is  it? ", 20)).toBe("What is it?");
});

test("what is longer is cut after a word", () => {
  expect(shorten("alpha beta gamma delta", 15)).toBe("alpha beta…");
  expect(shorten("alpha, beta, gamma delta", 14)).toBe("alpha, beta…");
});

test("text without spaces is cut anywhere, but never within a character", () => {
  expect(shorten("a".repeat(50), 10)).toBe(`${"a".repeat(9)}…`);
  expect(shorten("💥".repeat(50), 10)).toBe("💥💥💥💥…");
});

test("nothing is longer than asked for", () => {
  for (let most = 4; most < 40; most++)
    expect(shorten("one two three four five six seven", most).length).toBeLessThanOrEqual(most);
});
