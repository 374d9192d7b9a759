import fc from "fast-check";
import { expect, it } from "vitest";
import { Lines } from "./lines.ts";

it("lines are the same however their bytes come", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.array(fc.nat(20)), (texts, cuts) => {
      const lines = texts.map((text) => text.replaceAll("\n", " "));
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
      const taken: string[] = [];
      const reader = new Lines(1_000_000);
      let from = 0;
      for (const size of [...cuts, bytes.length]) {
        taken.push(...reader.take(bytes.subarray(from, from + size)));
        from += size;
      }
      expect(taken).toEqual(lines);
    }),
  );
});

it("a line that has no end is an error, and many short ones are none", () => {
  const reader = new Lines(10);
  expect([...reader.take(Buffer.from("abc\n".repeat(100)))]).toHaveLength(100);
  expect(() => [...reader.take(Buffer.from("abcdefghijkl"))]).toThrow("longer than 10 bytes");
});
