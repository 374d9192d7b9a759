import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, canonicalKey, canonicalText, canonicalUrl } from "./canonical.ts";

describe("canonicalJson", () => {
  it("does not depend on the order of keys, at any depth", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(reversed)).toBe(canonicalJson(value));
      }),
    );
  });

  it("tells apart what white space, keys and order of values do not make equal", () => {
    expect(canonicalJson({ a: 1 })).not.toBe(canonicalJson({ a: "1" }));
    expect(canonicalJson(["a", "b"])).not.toBe(canonicalJson(["b", "a"]));
    expect(canonicalJson({ a: " x  y " })).toBe(canonicalJson({ a: "x y" }));
    expect(canonicalJson({ a: undefined })).toBe(canonicalJson({}));
  });
});

it("canonicalText folds white space and composes characters", () => {
  expect(canonicalText("  a\t\n b ")).toBe("a b");
  expect(canonicalText("e\u0301")).toBe("é");
});

describe("canonicalKey", () => {
  for (const value of [undefined, null, "", "  ", {}, []])
    it(`cannot key ${JSON.stringify(value)}`, () => expect(canonicalKey(value)).toBeUndefined());

  it("refuses a promise: a key must be known at once", () => {
    expect(() => canonicalKey(Promise.resolve("x"))).toThrow(/at once/);
  });
});

describe("canonicalUrl", () => {
  it("takes a URL without a scheme as one of https", () => {
    expect(canonicalUrl("a.org/x/")).toBe(canonicalUrl("https://A.org:443/x#y"));
  });
  for (const raw of [undefined, 7, "", "   ", "http://"])
    it(`is none of ${JSON.stringify(raw)}`, () => expect(canonicalUrl(raw)).toBeUndefined());
});
