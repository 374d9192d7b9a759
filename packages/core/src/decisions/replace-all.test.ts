import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replaceAll } from "./replace-all.ts";

const mark = (value: string): string => `<${value}>`;

describe("replaceAll", () => {
  it("replaces every occurrence, wherever it stands", () => {
    expect(replaceAll("ann and bob and ann", ["ann", "bob"], mark)).toBe("<ann> and <bob> and <ann>");
  });

  it("takes the longest of several that begin at one place, and looks at nothing twice", () => {
    expect(replaceAll("annabel, anna, ann", ["ann", "anna", "annabel", "a"], mark)).toBe(
      "<annabel>, <anna>, <ann>",
    );
  });

  it("takes characters as they are, those that mean something to patterns too", () => {
    expect(replaceAll("a.b a+b (a) a\\b 🙂", ["a.b", "(a)", "🙂"], mark)).toBe("<a.b> a+b <(a)> a\\b <🙂>");
  });

  it("returns a text with none of the values as it is, and never replaces nothing", () => {
    expect(replaceAll("nothing here", ["ann", ""], mark)).toBe("nothing here");
    expect(replaceAll("", ["ann"], mark)).toBe("");
  });

  it("is what a pattern of all values, longest first, would find", () => {
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
