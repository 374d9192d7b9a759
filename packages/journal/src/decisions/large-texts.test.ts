import fc from "fast-check";
import { expect, test } from "vitest";
import { withLargeTexts, withoutLargeTexts } from "./large-texts.ts";

test("a value comes back as it was, whatever it looks like", () => {
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
      const texts = new Map<string, string>();
      const stored = JSON.parse(JSON.stringify(withoutLargeTexts(original, texts))) as unknown;
      expect(withLargeTexts(stored, (digest) => texts.get(digest)!)).toEqual(
        JSON.parse(JSON.stringify(original)),
      );
    }),
  );
});

test("a large text is stored once, by its digest", () => {
  const texts = new Map<string, string>();
  const page = "x".repeat(2_000);
  withoutLargeTexts([{ page }, { other: page }, "small"], texts);
  expect([...texts.values()]).toEqual([page]);
});
