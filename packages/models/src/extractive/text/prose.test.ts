import { expect, test } from "vitest";
import { isProse } from "./prose.ts";

test("sentences, items and what a comment says are prose", () => {
  for (const text of [
    "Newton was born in 1643 in Woolsthorpe.",
    "Put `.pool` into `.gitignore`, or call `useCorpus({ paths })` with another one.",
    "While completing Q (roughly, filling the gaps) one gets the field of real numbers.",
    "/** A text as BM25 sees it.",
    "first item",
    "[Guards](guards.md) say what may run, and [hooks](hooks.md) what happens then.",
    "Die Stadt liegt an der Elbe.",
  ]) {
    expect([text, isProse(text)]).toEqual([text, true]);
  }
});

test("statements, configuration, lists of links and navigation are not", () => {
  for (const text of [
    'import { extractive } from "@agentpool/models";',
    "export function modelOf( options: AgentPoolOptions, outer: Pool | undefined ): Model {",
    "*/ readonly frequency: ReadonlyMap<string, number>; }",
    "const k1 = 1.2; const b = 0.75;",
    "*/ readonly depth: number; /** What its spine was extended with, for agents of their own. */ readonly spine: Session | undefined;",
    "if (open) return close(open);",
    "guards: { url_dedup: { scope: cohort } }",
    "[Home](index.md) [Docs](docs.md) [Blog](blog.md)",
    "https://example.org/a/b",
    "Home Products Pricing Documentation Blog Contact",
    "| `query` | `limit` |",
  ]) {
    expect([text, isProse(text)]).toEqual([text, false]);
  }
});
