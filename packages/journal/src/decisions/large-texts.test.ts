import fc from "fast-check";
import { expect, test } from "vitest";
import { withLargeTexts, withoutLargeResult, withoutLargeTexts } from "./large-texts.ts";

test.each([
  ["a value", withoutLargeTexts],
  ["a result", withoutLargeResult],
])("%s comes back as it was, whatever it looks like", (_, without) => {
  const large = fc.string({ minLength: 1_000, maxLength: 1_100 });
  const key = fc.constantFrom("$text", "$literal", "a", "b");
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue({ maxDepth: 1 }),
      large,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(key, tie("value"), { maxKeys: 2 }),
    ),
  })).value;
  fc.assert(
    fc.property(value, (original) => {
      const texts = new Map<string, unknown>();
      const stored = JSON.parse(JSON.stringify(without(original, texts))) as unknown;
      expect(withLargeTexts(stored, (digest) => texts.get(digest))).toEqual(
        JSON.parse(JSON.stringify(original)),
      );
    }),
  );
});

test("a large text is stored once, by its digest", () => {
  const texts = new Map<string, unknown>();
  const page = "x".repeat(2_000);
  withoutLargeTexts([{ page }, { other: page }, "small"], texts);
  expect([...texts.values()]).toEqual([page]);
});

test("a result of many short texts is stored once, and is none of the texts that look like it", () => {
  const parts = new Map<string, unknown>();
  const hits = Array.from({ length: 50 }, (_, at) => ({ path: `docs/${at}.md`, line: at, text: "a line" }));
  const reference = withoutLargeResult(hits, parts);
  expect(withoutLargeResult([...hits], parts)).toEqual(reference);
  expect(withoutLargeTexts(JSON.stringify(hits), parts)).not.toEqual(reference);
  expect(parts.size).toBe(2);
  expect(withLargeTexts(reference, (digest) => parts.get(digest))).toEqual(hits);
});
