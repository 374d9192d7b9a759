import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { occurrences } from "./occurrences.ts";

const mark = (value: string): string => `<${value}>`;

/** The text with every occurrence marked. */
function replaceAll(text: string, values: readonly string[], mark: (value: string) => string): string {
  let [out, at] = ["", 0];
  for (const { from, to } of occurrences(text, values)) {
    out += text.slice(at, from) + mark(text.slice(from, to));
    at = to;
  }
  return out + text.slice(at);
}

describe("occurrences", () => {
  it("are every one, wherever it stands", () => {
    expect(replaceAll("ann and bob and ann", ["ann", "bob"], mark)).toBe("<ann> and <bob> and <ann>");
  });

  it("are the longest of several that begin at one place, and none is within another", () => {
    expect(replaceAll("annabel, anna, ann", ["ann", "anna", "annabel", "a"], mark)).toBe(
      "<annabel>, <anna>, <ann>",
    );
  });

  it("are of characters as they are, those that mean something to patterns too", () => {
    expect(replaceAll("a.b a+b (a) a\\b 🙂", ["a.b", "(a)", "🙂"], mark)).toBe("<a.b> a+b <(a)> a\\b <🙂>");
  });

  it("are none in a text without the values, and never of nothing", () => {
    expect(replaceAll("nothing here", ["ann", ""], mark)).toBe("nothing here");
    expect(replaceAll("", ["ann"], mark)).toBe("");
  });

  it("are what a pattern of all values, longest first, would find", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 4 });
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "d"), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(word, { minLength: 1, maxLength: 6 }), (source, values) => {
        const longestFirst = [...values].sort((a, b) => b.length - a.length).join("|");
        expect(replaceAll(source, values, mark)).toBe(source.replace(new RegExp(longestFirst, "g"), mark));
      }),
    );
  });
});
