import { expect, test } from "vitest";
import { words } from "../text/words.ts";
import { alikeIn } from "./alike.ts";
import { type AnswerType, answerType, holdsAnswer } from "./answer-type.ts";
import { queries } from "./queries.ts";
import { query } from "./query.ts";

test("what a question asks for is told by the words it asks with", () => {
  const asked: readonly (readonly [string, AnswerType])[] = [
    ["How many points were scored?", "count"],
    ["What percentage voted for it?", "share"],
    ["When was it built?", "time"],
    ["In what year did it end?", "time"],
    ["Who built it?", "person"],
    ["Where is it?", "place"],
    ["Why did it fail?", "reason"],
    ["How does it work?", "manner"],
    ["What is the term for this?", "term"],
    ["What is it made of?", "other"],
  ];
  for (const [question, type] of asked) expect([question, answerType(question)]).toEqual([question, type]);
});

test("a sentence holds an answer only if the question does not say it already", () => {
  const { stems } = query("When did the war of 1756 end?");
  const held = (text: string) => holdsAnswer("time", text, words(text), stems);
  expect(held("It ended in 1763.")).toBe(1);
  expect(held("The war of 1756 was long.")).toBe(0);
});

test("a question's terms carry matter, its focus is what is asked for", () => {
  const asked = query("Which river flows through the city of Newcastle?");
  expect(asked.terms.map(({ plain }) => plain)).toEqual(["river", "flows", "city", "newcastle"]);
  expect(asked.focus).toBe("river");
});

test("a question of function words alone still has terms", () => {
  expect(query("What is it?").terms.length).toBeGreaterThan(0);
});

test("searches are tried from the question's own words to single ones, none empty", () => {
  const list = queries(query("Who is the vice-chair of the IPCC?"));
  expect(list[0]).toBe("is the vice-chair of the IPCC");
  expect(list).toContain("IPCC");
  for (const text of queries(query("??"))) expect(text.trim()).not.toBe("");
});

test("a misspelt word finds what it is meant for, a known one is left alone", () => {
  const vocabulary = new Map([
    ["gandhi", 2],
    ["govern", 1],
    ["government", 1],
  ]);
  expect(alikeIn("ghandi", vocabulary)).toEqual(["gandhi"]);
  expect(alikeIn("govern", vocabulary)).toEqual(["government"]);
  expect(alikeIn("1756", new Map([["1757", 1]]))).toEqual([]);
});
