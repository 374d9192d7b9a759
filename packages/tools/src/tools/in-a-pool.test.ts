import { agentPool, type GuardOverrides, type PoolEvent, parallel, reportTool } from "@agentpool/core";
import { type ScriptedTurn, scripted } from "@agentpool/models";
import { run } from "effection";
import { expect, test } from "vitest";
import { useCorpus } from "../corpus/use-corpus.ts";
import { temporaryFolder } from "../temporary-folder.testing.ts";
import { corpusTools } from "./corpus-tools.ts";

const done: ScriptedTurn = { calls: [{ tool: "report", args: { result: "done" } }] };
const read = (args: object): ScriptedTurn => ({
  calls: [{ tool: "read", args: { path: "docs/a.md", ...args } }],
});
const search = (query: string): ScriptedTurn => ({ calls: [{ tool: "search", args: { query } }] });

/** Runs agents over a document of 30 lines; gives what became of each call, in order. */
function outcomes(
  scripts: readonly (readonly ScriptedTurn[])[],
  guards: GuardOverrides = {},
): Promise<unknown[]> {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join("\n");
  const cwd = temporaryFolder({ "docs/a.md": lines });
  return run(function* () {
    const corpus = yield* useCorpus({ cwd, paths: "docs", index: ":memory:" });
    const events: PoolEvent[] = [];
    yield* agentPool({
      model: scripted(({ key }) => [...scripts[Number(key.split("/").at(-1))]!, done]),
      system: "Read.",
      tools: corpusTools(corpus),
      terminal: reportTool,
      orchestrate: parallel(scripts.map((_, index) => `task ${index}`)),
      guards,
      budget: { concurrentGenerations: 1 },
      onEvent: (event) => void events.push(event),
    });
    return events.flatMap((event): unknown[] => {
      if (event.type === "call:dispatched" && event.tool !== "report") return [event.args];
      if (event.type === "call:refused") return [`${event.guard}: ${event.message}`];
      return [];
    });
  });
}

test("a range that was wholly read is refused, and the refusal says what was not", async () => {
  expect(
    await outcomes([
      [read({ from: 1, to: 20 }), read({ from: 5, to: 9 }), read({ from: 15, to: 30 }), read({})],
    ]),
  ).toEqual([
    { path: "docs/a.md", from: 1, to: 20 },
    "read_dedup: docs/a.md, lines 5–9, was read already. Not read yet: lines 21–30. Ask for those (from: 21), or read another document.",
    { path: "docs/a.md", from: 15, to: 30 },
    "read_dedup: docs/a.md, lines 1–30, was read already. All of it was read. Use what you have, or read another document.",
  ]);
});

test("a path that failed is not read: written rightly it runs", async () => {
  expect(
    await outcomes([
      [read({ path: "docs/b.md" }), read({ path: "./docs/a.md" }), read({ path: "docs//a.md" })],
    ]),
  ).toEqual([
    { path: "docs/b.md" },
    { path: "docs/a.md", from: 1, to: 30 },
    expect.stringMatching(/^read_dedup: docs\/a\.md, lines 1–30, was read already/),
  ]);
});

test("a search in the same words is refused, whatever their case and spacing", async () => {
  expect(await outcomes([[search("line 7"), search("  LINE   7 "), search("line 8")]])).toEqual([
    { query: "line 7", limit: 8 },
    expect.stringMatching(/^query_dedup: This search was made already.*Search in other words/),
    { query: "line 8", limit: 8 },
  ]);
});

test("siblings read the same lines each, unless the guard looks at the cohort", async () => {
  const scripts = [[read({ from: 1, to: 9 })], [read({ from: 2, to: 8 })]];
  expect(await outcomes(scripts)).toHaveLength(2);
  expect(await outcomes(scripts, { read_dedup: { scope: "cohort" } })).toEqual([
    { path: "docs/a.md", from: 1, to: 9 },
    expect.stringMatching(/^read_dedup: docs\/a\.md, lines 2–8, was read already/),
  ]);
});
