import { spawn as start } from "node:child_process";
import {
  agentPool,
  dedup,
  defineTool,
  type JournalEntry,
  parallel,
  reportTool,
  type ToolLifecycleHooks,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { type Operation, run, scoped, until } from "effection";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import type { SqlRow } from "../src/engine/engine.ts";
import { openSqlite } from "../src/engine/sqlite.ts";
import { openStore } from "../src/index.ts";
import { TABLES } from "../src/values/tables.ts";
import { flushed, recorded, started, useFolder } from "./support.ts";

const read = defineTool({
  name: "read",
  description: "Reads a page.",
  parameters: z.object({ page: z.string() }),
  hooks: { beforeDispatch: [dedup("page_dedup", (args) => args.page)] },
  execute: ({ page }) => {
    if (page === "broken") throw new Error("it is broken");
    return { page, text: `${page} `.repeat(page === "large" ? 2_000 : 3) };
  },
});

/** The entries of a pool of agents that read these pages, and end in words or with a call in turn. */
function* entriesOf(
  script: readonly (readonly (readonly string[])[])[],
  hooks: readonly ToolLifecycleHooks[] = [],
): Operation<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  yield* agentPool({
    run: "r1",
    journal: { recorded: [], append: (entry) => void entries.push(entry), flush: () => undefined },
    model: scripted(({ key }) => [
      ...script[Number(key.split("/")[1])]!.map((pages) => ({
        calls: pages.map((page) => ({ tool: "read", args: { page } })),
      })),
      key.endsWith("0") ? { text: "done" } : { calls: [{ tool: "report", args: { result: "done" } }] },
      { text: "done, in words" },
    ]),
    tools: [read],
    terminal: reportTool,
    hooks,
    orchestrate: parallel(script.map((_, at) => `task ${at}`)),
  });
  return entries;
}

/** Every derived row, in an order of its own. */
function* rowsIn(path: string): Operation<Record<string, readonly SqlRow[]>> {
  const engine = openSqlite(path);
  const rows: Record<string, readonly SqlRow[]> = {};
  for (const [name, { key }] of Object.entries(TABLES))
    rows[name] = yield* until(engine.all(`select * from ${name} order by ${key.join(", ")}`));
  yield* until(engine.close());
  return rows;
}

/** Records entries, written in portions that end after these many each. */
const record = (path: string, entries: readonly JournalEntry[], portions: readonly number[]) =>
  scoped(function* () {
    const store = yield* openStore(`sqlite:${path}`);
    const journal = yield* store.journal("r1");
    if (journal.history.length === 0) journal.note(started("r1"));
    let sizes = [...portions];
    for (const entry of entries) {
      journal.append(entry);
      const [size = 0, ...rest] = sizes;
      sizes = size > 0 ? [size - 1, ...rest] : rest;
      if (size === 0) yield* flushed(journal);
    }
    yield* flushed(journal);
  });

const pages = fc.constantFrom("a", "b", "large", "broken");
const scripts = fc.array(fc.array(fc.array(pages, { minLength: 1, maxLength: 3 }), { maxLength: 3 }), {
  minLength: 1,
  maxLength: 3,
});

test("the tables are what the events say, in whatever portions and by however many processes they were written", () =>
  fc.assert(
    fc.asyncProperty(
      scripts,
      fc.array(fc.nat(12), { maxLength: 20 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (script, portions, share) =>
        run(function* () {
          const folder = yield* useFolder();
          const entries = yield* entriesOf(script);
          const cut = Math.floor(entries.length * share);
          yield* record(`${folder}/a.db`, entries.slice(0, cut), portions);
          yield* record(`${folder}/a.db`, entries.slice(cut), portions);
          yield* record(`${folder}/b.db`, entries, []);
          const store = yield* openStore(`sqlite:${folder}/a.db`);
          const [first, ...rest] = yield* store.record("r1");
          expect(first).toMatchObject({ type: "run:started" });
          expect(rest).toEqual(
            JSON.parse(
              JSON.stringify(entries.filter(({ type }) => !/^(turn:delta|agent:state)$/.test(type))),
            ),
          );
          const rows = yield* rowsIn(`${folder}/a.db`);
          expect(rows).toEqual(yield* rowsIn(`${folder}/b.db`));
          // what was refused was not called
          const called = new Set(rows.calls!.map(({ call }) => call));
          expect(rows.refusals!.filter(({ call }) => called.has(call!))).toEqual([]);
        }),
    ),
    { numRuns: 25 },
  ));

test("the call that ends an agent is among its calls from when it executes, and counts nowhere", () =>
  run(function* () {
    const folder = yield* useFolder();
    const entries = yield* entriesOf([[], [["a"]]]);
    const executing = entries.findIndex(({ type }) => type === "record:executing");
    const call = "agent/1:2#0";
    yield* record(`${folder}/cut.db`, entries.slice(0, executing + 1), []);
    expect((yield* rowsIn(`${folder}/cut.db`)).calls).toMatchObject([
      { tool: "read", terminal: 0 },
      { call, tool: "report", args: '{"result":"done"}', terminal: 1, attempts: 1, outcome: null },
    ]);
    yield* record(`${folder}/whole.db`, entries, []);
    const { calls, runs } = yield* rowsIn(`${folder}/whole.db`);
    expect(calls!.at(-1)).toMatchObject({ call, terminal: 1, outcome: "ok", result: '"done"', attended: 0 });
    expect(runs).toMatchObject([{ calls: 1 }]);
    for (const name of ["cut", "whole"]) {
      const store = yield* openStore(`sqlite:${folder}/${name}.db`);
      expect((yield* store.runs()).map(({ calls }) => calls)).toEqual([1]);
    }
  }));

test("a terminal call that executed, and whose agent was not let stop, is both a call and a refusal", () =>
  run(function* () {
    const folder = yield* useFolder();
    const hook: ToolLifecycleHooks = {
      name: "floor",
      onReturn: ({ call }) => (call ? { type: "reject", message: "Say it in words." } : undefined),
    };
    yield* record(`${folder}/runs.db`, yield* entriesOf([[], []], [hook]), []);
    const { calls, refusals, turns } = yield* rowsIn(`${folder}/runs.db`);
    expect(calls).toMatchObject([{ call: "agent/1:1#0", terminal: 1, outcome: "ok", result: '"done"' }]);
    expect(refusals).toMatchObject([{ call: "agent/1:1#0", guard: "floor", message: "Say it in words." }]);
    expect(turns!.map(({ model }) => model)).toEqual(["scripted", "scripted", "scripted"]);
  }));

test("what many agents read is stored once", () =>
  run(function* () {
    const folder = yield* useFolder();
    const store = yield* openStore(`sqlite:${folder}/runs.db`);
    yield* recorded(store, "r1");
    const engine = openSqlite(`${folder}/runs.db`);
    const texts = yield* until(
      engine.all("select digest, length(json_extract(body, '$')) as length from texts"),
    );
    expect(texts.map(({ length }) => length)).toEqual([1_600, 1_600]); // pages a and b, read by two agents each
    yield* until(engine.close());
  }));

test("the events are a table of their own for who asks in SQL: one row each, with its place in the order", () =>
  run(function* () {
    const folder = yield* useFolder();
    const store = yield* openStore(`sqlite:${folder}/runs.db`);
    yield* recorded(store, "r1");
    const engine = openSqlite(`${folder}/runs.db`);
    const rows = yield* until(engine.all("select idx, type from events where run = 'r1' order by idx"));
    const entries = yield* store.record("r1");
    expect(rows).toEqual(entries.map(({ type }, idx) => ({ idx, type })));
    yield* until(engine.close());
  }));

/** Reads over and over until it is told to stop; says what it saw that cannot be. */
const READER = `
  const Database = require("libsql");
  const db = new Database(process.argv[1]);
  const seen = db.prepare(\`select
    (select count(*) from events where type = 'turn:completed') as turnEvents, (select count(*) from turns) as turns,
    (select count(*) from events where type in ('call:dispatched', 'record:executing')) as callEvents,
    (select count(*) from calls where dispatched_at is not null) as calls\`);
  let going = true, reads = 0;
  process.stdin.on("end", () => { going = false; }).resume();
  const look = () => {
    const row = seen.get();
    reads++;
    if (row.turnEvents !== row.turns || row.callEvents !== row.calls)
      console.log("torn " + JSON.stringify(row));
    if (going) setImmediate(look);
    else { console.log("reads " + reads); db.close(); }
  };
  console.log("ready");
  look();
`;

test("who reads while a run is written never sees half a turn", () =>
  run(function* () {
    const folder = yield* useFolder();
    const path = `${folder}/runs.db`;
    const store = yield* openStore(`sqlite:${path}`);
    const journal = yield* store.journal("r1");
    const reader = start(process.execPath, ["-e", READER, path], {
      cwd: new URL("..", import.meta.url),
      stdio: ["pipe", "pipe", "inherit"],
    });
    let said = "";
    const ready = new Promise<void>((resolve) => {
      reader.stdout.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        if (said.includes("ready")) resolve();
      });
    });
    const ended = new Promise<void>((resolve) => {
      reader.on("close", () => resolve());
    });
    yield* until(ready);
    const entries = yield* entriesOf(
      [1, 2, 3].map(() => Array.from({ length: 9 }, (_, at) => [`p${at}`, "a"])),
    );
    for (const entry of entries) {
      journal.append(entry);
      yield* flushed(journal);
    }
    reader.stdin.end();
    yield* until(ended);
    expect(said).toMatch(/^ready\nreads \d+\n$/);
  }));
