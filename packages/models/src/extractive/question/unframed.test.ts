import { expect, test } from "vitest";
import { unframed } from "./unframed.ts";

test.each([
  ["Tell me who wrote Emma.", "who wrote Emma."],
  ["Could you tell me who wrote Emma, please?", "who wrote Emma"],
  ["Could you please tell me who wrote Emma?", "who wrote Emma?"],
  ["Hello! Who wrote Emma? Thank you.", "Who wrote Emma?"],
  ["I would like to know in which year Emma appeared, thanks.", "in which year Emma appeared"],
  ["I'm wondering how many novels she wrote", "how many novels she wrote"],
  ["Hi,\n\nWho wrote Emma?\n\nBest,\nAnna", "Who wrote Emma?"],
  ["Do you know who wrote Emma?", "who wrote Emma?"],
])("%j asks: %s", (text, asked) => {
  expect(unframed(text)).toBe(asked);
});

test.each([
  "Who wrote Emma?",
  "Tell me about Emma.",
  "Thanks to whom was Emma printed?",
  "Hello!",
  "",
  "Best man",
])("%j says nothing beside what it asks", (text) => {
  expect(unframed(text)).toBe(text);
});

test("a long text is looked through in little time", () => {
  const text = "tell me ".repeat(10_000);
  const start = performance.now();
  expect(unframed(text)).toBe(text.trim());
  expect(unframed(`${" ".repeat(20_000)}who${"\n".repeat(20_000)}x`).length).toBeGreaterThan(0);
  expect(performance.now() - start).toBeLessThan(1_000);
});
