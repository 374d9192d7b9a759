import type { Outcome, PoolEvent } from "@agentpool/core";
import { expect, test } from "vitest";
import { Ledger } from "./ledger.ts";

const page = (path: string, text: string, from = 1) => ({
  path,
  title: "A page",
  lines: [from, from + text.split("\n").length - 1],
  text,
});

const text = "# Title\n\nOne sentence crosses\na line's end. Another follows.\n\n## Part\n\nThe last.";

function read(ledger = new Ledger()): Ledger {
  ledger.record("research/0", { path: "a.md" }, page("a.md", text));
  return ledger;
}

test("a quotation verifies across line ends, and is given its lines and its heading", () => {
  const ledger = read();
  expect(ledger.verify({ quote: "One sentence  crosses a line's end.", source: "a.md" })).toEqual({
    type: "verified",
    source: "a.md",
    title: "A page",
    lines: [3, 4],
    heading: "Title",
  });
  expect(ledger.verify({ quote: "The last.", source: "a.md" })).toMatchObject({
    lines: [8, 8],
    heading: "Part",
  });
});

test("words that were changed do not verify", () => {
  expect(read().verify({ quote: "One sentence crosses the line's end.", source: "a.md" })).toEqual({
    type: "unusable",
    reason: "not_verbatim",
  });
  expect(read().verify({ quote: " ", source: "a.md" })).toEqual({ type: "unusable", reason: "empty" });
});

test("quotation marks around a quotation, and what models add to a path, do not matter", () => {
  expect(read().verify({ quote: "“The last.”", source: "./a.md:8" })).toMatchObject({ type: "verified" });
});

test("a source that a search only named is told apart from one that was read, and from an unknown one", () => {
  const ledger = read();
  ledger.record(
    "research/0",
    { query: "q" },
    { hits: [{ path: "b.md", title: "B", snippet: "Said in a snippet." }] },
  );
  expect(ledger.verify({ quote: "Said in a snippet.", source: "b.md" })).toEqual({
    type: "unusable",
    reason: "never_read",
  });
  expect(ledger.verify({ quote: "x", source: "c.md" })).toEqual({
    type: "unusable",
    reason: "unknown_source",
  });
  expect(ledger.sources().map(({ source, readBy }) => [source, readBy])).toEqual([
    ["a.md", ["research/0"]],
    ["b.md", []],
  ]);
});

test("pages that touch are one: a quotation may cross from one reading into the next", () => {
  const ledger = new Ledger();
  ledger.record("research/1", { path: "a.md" }, page("a.md", "and ends here.", 4));
  ledger.record("research/0", { path: "a.md" }, page("a.md", "A sentence starts", 3));
  expect(ledger.verify({ quote: "A sentence starts and ends here.", source: "a.md" })).toMatchObject({
    lines: [3, 4],
  });
  expect(ledger.sources()[0]).toMatchObject({ lines: [[3, 4]], readBy: ["research/1", "research/0"] });
});

test("a line that was left blank in one reading is taken from the other", () => {
  const ledger = new Ledger();
  ledger.record("research/0", { path: "a.md" }, page("a.md", "Two here.", 2));
  ledger.record("research/0", { path: "a.md" }, page("a.md", "One here.\n\nThree here.", 1));
  expect(ledger.verify({ quote: "One here. Two here. Three here.", source: "a.md" })).toMatchObject({
    lines: [1, 3],
  });
});

test("a file that says otherwise has the last word over what was read", () => {
  const ledger = read(new Ledger({ verifier: { open: () => ({}), locate: () => undefined } }));
  expect(ledger.verify({ quote: "The last.", source: "a.md" })).toEqual({
    type: "unusable",
    reason: "not_verbatim",
  });
  const elsewhere = read(new Ledger({ verifier: { open: () => undefined, locate: () => undefined } }));
  expect(elsewhere.verify({ quote: "The last.", source: "a.md" })).toMatchObject({ type: "verified" });
});

const about = { run: "r", at: 0, agent: "research/0", call: "research/0:1#0", tool: "read" };
const played = (outcome: Outcome, attended: boolean): Ledger => {
  const ledger = new Ledger();
  const events: PoolEvent[] = [
    { ...about, type: "call:dispatched", identity: "local:read", args: { path: "a.md" }, attempt: 0 },
    { ...about, type: "call:settled", outcome, ms: 1 },
    { ...about, type: "call:admitted", outcome: outcome.type, attended },
  ];
  for (const event of events) ledger.observe(event);
  return ledger;
};

test("what was admitted counts as read; what failed, was refused or was dropped does not", () => {
  const ok: Outcome = { type: "ok", value: page("a.md", text) };
  expect(played(ok, true).readBy("research/0")).toEqual(["a.md"]);
  expect(played(ok, false).sources()).toEqual([]);
  expect(played({ type: "error", message: "no" }, false).sources()).toEqual([]);
  expect(played({ type: "refused", guard: "g", message: "no" }, false).sources()).toEqual([]);
});

test("an empty search is on record as a search that found nothing", () => {
  const ledger = new Ledger();
  ledger.record("research/0", { query: "zebra" }, { hits: [], total: 0 });
  expect(ledger.searches()).toEqual([{ agent: "research/0", query: "zebra", hits: 0 }]);
  expect(ledger.sources()).toEqual([]);
});
