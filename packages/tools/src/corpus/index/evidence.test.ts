import { expect, test } from "vitest";
import { evidenceReader } from "./evidence.ts";
import { plainOf } from "./words.ts";

const reading = (query: string, telling: Readonly<Record<string, number>>, text: string) =>
  evidenceReader({
    sequence: query.split(" "),
    words: Object.entries(telling).map(([word, weight]) => ({ word, weight })),
  }).read(plainOf(text));

test("a sentence counts by the weight of the query's words in it, whatever their endings", () => {
  const read = reading("attached stators", { attached: 1, stators: 3 }, "A Stator stands. It attaches.");
  expect(read.sentence).toBe(0.75);
  expect(read.neighbours).toBe(1);
});

test("sentences with another one between them are no neighbours", () => {
  const read = reading("alpha beta", { alpha: 1, beta: 1 }, "Alpha is. Nothing here. Beta was.");
  expect(read.neighbours).toBe(0.5);
});

test("pairs count with their small words, in one sentence, and not across words", () => {
  const telling = { attached: 1, stators: 1 };
  expect(reading("stators attached to", telling, "Stators attached to it.").pairs).toBe(1);
  expect(reading("stators attached to", telling, "Stators were attached together.").pairs).toBe(0);
  expect(reading("stators attached to", telling, "Attached to stators.").pairs).toBe(0.5);
  expect(reading("the stators", { stators: 1 }, "bathe stators").pairs).toBe(0);
  expect(reading("the stators", { stators: 1 }, "The stators").pairs).toBe(1);
});

test("words are found by their beginnings only, without accents, and never inside others", () => {
  expect(reading("cafés", { cafés: 1 }, "Le Café").words).toBe(1);
  expect(reading("art", { art: 1 }, "start party").words).toBe(0);
});

test("nothing to find finds nothing, and of many words the rarest count", () => {
  expect(reading("", {}, "anything")).toEqual({ words: 0, sentence: 0, neighbours: 0, pairs: 0 });
  const many = Object.fromEntries(Array.from({ length: 48 }, (_, at) => [`word${at}x`, at + 1]));
  expect(reading("", many, "word0x").words).toBe(0);
  expect(reading("", many, "word47x").words).toBe(1);
});
