import { expect, test } from "vitest";
import { passages } from "../text/passages.ts";
import { candidatesOf } from "./candidates.ts";
import { featureNames } from "./features.ts";
import { select } from "./select.ts";

/** Sentences of one document, each with its share of the probability, and in a paragraph of its own. */
function ranked(
  shares: Readonly<Record<string, number>>,
  lines = Object.keys(shares).flatMap((text) => [text, ""]),
) {
  const blocks = passages(lines);
  const { list } = candidatesOf([{ path: "a.md", title: "A", blocks }]);
  const features = Object.fromEntries(featureNames.map((name) => [name, 1])) as Parameters<
    typeof select
  >[0][number]["features"];
  return list.map((candidate) => ({ candidate, features, mass: shares[candidate.sentence.text]! }));
}

const room = { passages: 5, words: 300, sentences: 1 } as const;
const texts = (shares: Readonly<Record<string, number>>) =>
  select(ranked(shares), room).map(({ text }) => text);

test("passages come likeliest first, while the answer may still be in another", () => {
  expect(texts({ "The first one.": 0.3, "The second one.": 0.5, "The third one.": 0.2 })).toEqual([
    "The second one.",
    "The first one.",
    "The third one.",
  ]);
});

test("where passages hold the answer almost surely, nothing less likely is quoted beside them", () => {
  expect(texts({ "The first one.": 0.9993, "The second one.": 0.0002, "The third one.": 0.0005 })).toEqual([
    "The first one.",
  ]);
});

test("where nothing is likely at all, noise is left out, and nothing may be left", () => {
  expect(texts({ "The first one.": 0.08, "The second one.": 0.03 })).toEqual(["The first one."]);
  expect(texts({ "The first one.": 0.04, "The second one.": 0.03 })).toEqual([]);
  expect(texts({ "The first one.": 0.5, "The second one.": 0.03 })).toEqual([
    "The first one.",
    "The second one.",
  ]);
});

test("two sentences that are likelier together than the likeliest one come first, and it comes after them", () => {
  const shares = { "The first one.": 0.3, "The second one.": 0.29, "The third one.": 0.41 };
  const judged = ranked(shares, ["The first one. The second one.", "", "The third one."]);
  expect(select(judged, { ...room, sentences: 2 }).map(({ text }) => text)).toEqual([
    "The first one. The second one.",
    "The third one.",
  ]);
});
