import fc from "fast-check";
import stringWidth from "string-width";
import { expect, it } from "vitest";
import { wrap } from "./wrap.ts";

it("breaks between words, and within those that are wider than a line", () => {
  expect(wrap("pay needs a person's approval", 12)).toEqual(["pay needs a", "person's", "approval"]);
  expect(wrap("abcdefgh ij", 3)).toEqual(["abc", "def", "gh", "ij"]);
});

it("loses nothing of a text, and keeps to the width", () => {
  const word = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
    .filter((text) => !/\s/.test(text));
  fc.assert(
    fc.property(fc.array(word, { maxLength: 20 }), fc.integer({ min: 12, max: 50 }), (words, width) => {
      const lines = wrap(words.join(" "), width);
      expect(lines.join("").replaceAll(" ", "")).toBe(words.join(""));
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    }),
  );
});
