import { expect, test } from "vitest";
import type { Answer, Finding } from "./findings.ts";
import { material } from "./material.ts";

const finding = (id: string, confidence: number, text = "Some words that were found."): Finding => ({
  id,
  text,
  source: "a.md",
  title: "A",
  heading: "",
  lines: [1, 1],
  confidence,
});
const answer = (question: string, findings: Finding[]): Answer => ({
  question,
  agent: "research/0",
  findings,
  result: "",
  removed: [],
});
const limits = { quotations: 5, words: 300 };

test("what fits is sent whole", () => {
  const answers = [answer("one?", [finding("f1.1", 0.9)]), answer("two?", [finding("f2.1", 0.2)])];
  const { text, left } = material({ question: "all?", answers, limits, tokens: 5_000 });
  expect(left).toEqual([]);
  expect(text).toContain('"id": "f2.1"');
});

test("what does not fit is left out before it is sent: the least sure first, each question's best last", () => {
  const long = "word ".repeat(400);
  const answers = [
    answer("one?", [finding("f1.1", 0.9, long), finding("f1.2", 0.8, long)]),
    answer("two?", [finding("f2.1", 0.1, long), finding("f2.2", 0.05, long)]),
  ];
  const { text, tokens, left } = material({ question: "all?", answers, limits, tokens: 1_500 });
  expect(tokens).toBeLessThanOrEqual(1_500);
  expect(left.map(({ id }) => id)).toEqual(["f1.2", "f2.2"]);
  expect(text).toContain("f2.1");
});

test("where not even one finding fits, the questions are still sent", () => {
  const answers = [answer("one?", [finding("f1.1", 0.9, "word ".repeat(10_000))])];
  const { text, left } = material({ question: "all?", answers, limits, tokens: 200 });
  expect(left).toHaveLength(1);
  expect(text).toContain("one?");
});
