import * as fc from "fast-check";
import { expect, test } from "vitest";
import { snippetOf, stemsOf } from "./snippet.ts";

const filler = "Nothing to see here at all. ".repeat(30);

test("a passage that fits is given whole, on one line", () => {
  expect(snippetOf("  An agent\n  parks. ", stemsOf(["park"]))).toBe("An agent parks.");
});

test("of a long passage the stretch that holds most of the words is given, from the start of a sentence", () => {
  const text = `${filler}An agent parks for the delay of its retry. ${filler}`;
  const snippet = snippetOf(text, stemsOf(["delays", "agents", "retries"]), 120);
  expect(snippet).toMatch(/^…An agent parks for the delay of its retry\. .*…$/);
});

test("a snippet is no longer than it may be and stands in its passage", () => {
  const words = fc.array(fc.constantFrom("agent", "park.", "retry", "a", "x".repeat(60), "wait?"), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(words, fc.integer({ min: 60, max: 400 }), (list, size) => {
      const text = list.join(" ");
      const snippet = snippetOf(text, stemsOf(["retry", "park"]), size);
      expect(snippet.length).toBeLessThanOrEqual(size + 2);
      expect(text).toContain(snippet.replace(/^…|…$/g, ""));
    }),
  );
});
