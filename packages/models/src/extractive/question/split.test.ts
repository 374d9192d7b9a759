import { expect, test } from "vitest";
import { split } from "./split.ts";

test("one question stays one", () => {
  for (const question of [
    "Who wrote Emma?",
    "When and where was Newton born?",
    "What is the difference between guards and hooks?",
    "Which player got a penalty, which gave the others a new set of downs?",
    "When many people are arrested, what is a common tactic?",
    "What contract is given when the contractor must design and must undertake the project?",
    "guards and retries",
    "Who was the king of England and of Scotland when the war began?",
    "What did Marie Curie, who won two Nobel prizes, discover?",
    "In which year did Norway, Sweden and Denmark join?",
    "What is the name of the man who built the bridge and the tower?",
    "Which is larger, the Amazon or the Nile?",
    "What happened when the wall fell, the army left and many people returned?",
    "Where did the troops that had won, and those who had lost, meet?",
    "Name the cities, towns and villages which the river passes.",
    "How do I stop a run and keep what it found?",
    "According to Smith, what determines wages, prices and rents?",
    "What did the treaty say about borders, and about those who lived beyond them?",
    "Was the tower, which stood for a century, pulled down or burnt?",
  ]) {
    expect(split(question)).toEqual([question]);
  }
});

test("question marks, lines and lists part questions", () => {
  expect(split("Who wrote Emma? When did Newton die?")).toEqual(["Who wrote Emma?", "When did Newton die?"]);
  expect(split("Who wrote Emma\nWhen did Newton die")).toEqual(["Who wrote Emma?", "When did Newton die?"]);
  expect(split("1. Who wrote Emma? 2. When did Newton die?")).toEqual([
    "Who wrote Emma?",
    "When did Newton die?",
  ]);
});

test("a conjunction parts questions only if both sides ask", () => {
  expect(split("How do I retry a call and what happens when the budget is used up?")).toEqual([
    "How do I retry a call?",
    "What happens when the budget is used up?",
  ]);
});

test("a forgotten question mark is found by the capital that follows", () => {
  expect(
    split("What set the stage for NSFNET What group measures oxygen? Who came first in geology?"),
  ).toEqual(["What set the stage for NSFNET?", "What group measures oxygen?", "Who came first in geology?"]);
});

test("what introduces a question stays with it where it names something, or the question needs it", () => {
  expect(split("I read about Tesla. In which city did the first motor run?")).toEqual([
    "I read about Tesla. In which city did the first motor run?",
  ]);
  expect(split("I study photosynthesis. Where does it take place in a plant cell?")).toEqual([
    "I study photosynthesis. Where does it take place in a plant cell?",
  ]);
  expect(split("I read the manual twice. What does a guard do? How are retries limited?")).toEqual([
    "I read the manual twice. What does a guard do?",
    "How are retries limited?",
  ]);
});

test("what says nothing of the matter is left out: why someone asks, how to answer, thanks", () => {
  const question = "What is another way of referring to stators?";
  expect(split(`I am stuck with my essay. ${question} Please quote your sources.`)).toEqual([question]);
  expect(split(`${question} Answer in two lines. Thank you!`)).toEqual([question]);
  expect(split("Hi,\n\nwho wrote Emma\n\nBest,\nAnna")).toEqual(["Who wrote Emma?"]);
});

test("a part that points back names what it points to", () => {
  expect(split("Who wrote Emma, and when was it published?")).toEqual([
    "Who wrote Emma?",
    "When was it published (Emma)?",
  ]);
});

test("a question that is asked twice is asked once; nothing asks nothing", () => {
  expect(split("Who wrote Emma? who wrote  Emma?")).toEqual(["Who wrote Emma?"]);
  expect(split("  ")).toEqual([]);
});

test("a very long text is split in little time", () => {
  const started = performance.now();
  split("what is a and what is b, ".repeat(4_000));
  expect(performance.now() - started).toBeLessThan(5_000);
});

test("a list in a line is known by marks that count up, and by items that ask", () => {
  expect(split("(1) who wrote Emma (2) when did Newton die")).toEqual([
    "Who wrote Emma?",
    "When did Newton die?",
  ]);
  expect(split("Answer: a) who wrote Emma, b) when did Newton die?")).toEqual([
    "Answer: who wrote Emma?",
    "When did Newton die?",
  ]);
  const single = "What is the difference between (a) guards and (b) hooks?";
  expect(split(single)).toEqual([single]);
});

test("semicolons and series part what asks", () => {
  expect(split("Who wrote Emma; the book Ulysses was written by whom?")).toEqual([
    "Who wrote Emma?",
    "The book Ulysses was written by whom?",
  ]);
  expect(split("When did Newton die, and Emma was written in what year?")).toEqual([
    "When did Newton die?",
    "Emma was written in what year?",
  ]);
  expect(split("Who wrote Emma, when did Newton die, and what is tea made of?")).toEqual([
    "Who wrote Emma?",
    "When did Newton die?",
    "What is tea made of?",
  ]);
});
