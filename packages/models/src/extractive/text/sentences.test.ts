import { expect, test } from "vitest";
import { sentences } from "./sentences.ts";

const cut = (text: string): string[] => sentences(text).map(({ start, end }) => text.slice(start, end));

test("sentences end at full stops, question marks and exclamation marks", () => {
  expect(cut("It rains. Does it? It does! So be it.")).toEqual([
    "It rains.",
    "Does it?",
    "It does!",
    "So be it.",
  ]);
});

test("abbreviations, initials and numbers do not end a sentence", () => {
  expect(cut("Dr. J. F. Kennedy met Gen. Lee, e.g. at St. James. He paid 3.5 million.")).toEqual([
    "Dr. J. F. Kennedy met Gen. Lee, e.g. at St. James.",
    "He paid 3.5 million.",
  ]);
});

test("a line's end inside a sentence does not end it", () => {
  expect(cut("The pressure of O\n2 rises\nwith depth. It falls again.")).toEqual([
    "The pressure of O\n2 rises\nwith depth.",
    "It falls again.",
  ]);
});

test("a bracket stays whole, one that is never closed does not swallow the rest", () => {
  expect(cut("He left (see Fig. 2. It shows all). Then he came back.")).toEqual([
    "He left (see Fig. 2. It shows all).",
    "Then he came back.",
  ]);
  const open = `It starts (and never ends. ${"Words follow here. ".repeat(60)}`;
  expect(cut(open).length).toBeGreaterThan(10);
});

test("nothing and white space have no sentences", () => {
  expect(cut("")).toEqual([]);
  expect(cut(" \n ")).toEqual([]);
});
