import { type ChildProcessWithoutNullStreams, spawn as start } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { agentPool } from "@agentpool/core";
import { ensure, type Operation, resource, run, scoped, until } from "effection";
import { expect, test } from "vitest";
import type { Engine, SqlRow } from "../src/engine/engine.ts";
import { openPostgres } from "../src/engine/postgres.ts";
import { openSqlite } from "../src/engine/sqlite.ts";
import { openStore, type RunView } from "../src/index.ts";
import { storePlace } from "../src/values/place.ts";
import { TABLES } from "../src/values/tables.ts";
import { onEveryEngine, type UsePlace } from "./places.ts";
import { caught, flushed } from "./support.ts";
import { job } from "./version-1/job.ts";

const file = (name: string): string => readFileSync(join(import.meta.dirname, "version-1", name), "utf8");

/** The database itself. */
const useEngine = (url: string): Operation<Engine> =>
  resource(function* (provide) {
    const place = storePlace(url);
    const engine = place.type === "sqlite" ? openSqlite(place.path) : yield* until(openPostgres(place.url));
    yield* ensure(() => until(engine.close()));
    yield* provide(engine);
  });

const all = (url: string, sql: string): Operation<SqlRow[]> =>
  scoped(function* () {
    const engine = yield* useEngine(url);
    return yield* until(engine.all(sql));
  });

const script = (url: string, ...parts: readonly string[]): Operation<void> =>
  scoped(function* () {
    const engine = yield* useEngine(url);
    for (const sql of parts) yield* until(engine.script(sql));
  });

/** A database as schema 1 left it. */
function* useFirst(usePlace: UsePlace): Operation<string> {
  const url = yield* usePlace();
  yield* script(url, file(`schema.${storePlace(url).type}.sql`), file("rows.sql"));
  return url;
}

const OWN = { entries: ["run", "first"], texts: ["run", "digest"], decisions: ["run", "id"] };

/** Every row of tables, without the columns that a version lacks. */
function* rowsOf(url: string, names: readonly string[], without: readonly string[] = []) {
  const keys: Record<string, readonly string[]> = {
    ...OWN,
    ...Object.fromEntries(Object.entries(TABLES).map(([name, { key }]) => [name, key])),
  };
  const found: Record<string, readonly SqlRow[]> = {};
  for (const name of names) {
    const rows = yield* all(url, `select * from ${name} order by ${keys[name]!.join(", ")}`);
    found[name] = rows.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([column]) => !without.includes(`${name}.${column}`))),
    );
  }
  return found;
}

const EVERY = [...Object.keys(OWN), ...Object.keys(TABLES)];
const ADDED = ["turns.model", "calls.terminal"];

const columnsOf = (url: string, table: string): Operation<SqlRow[]> =>
  all(
    url,
    storePlace(url).type === "sqlite"
      ? `select name from pragma_table_info('${table}') order by cid`
      : `select column_name as name from information_schema.columns where table_name = '${table}' order by ordinal_position`,
  );

const versions = function* (url: string): Operation<number[]> {
  const rows = yield* all(url, "select version from agentpool_schema order by version");
  return rows.map(({ version }) => Number(version));
};

/** A process that opens a store once it is told to. */
const opener = (url: string): ChildProcessWithoutNullStreams =>
  start(process.execPath, [
    "--conditions=@agentpool/source",
    ...["--import", "tsx", join(import.meta.dirname, "version-1", "open.ts"), url],
  ]);

const said = async (child: ChildProcessWithoutNullStreams): Promise<string> => {
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  await new Promise((resolve) => child.once("close", resolve));
  return text;
};

const untimed = ({ approvals, ...run }: RunView) => ({
  ...run,
  approvals: approvals.map(({ decidedAt: _, ...approval }) => approval),
});

onEveryEngine((usePlace) => {
  test("a new database has the columns that are written, and is at the latest version", () =>
    run(function* () {
      const url = yield* usePlace();
      yield* scoped(() => openStore(url));
      for (const [name, { columns }] of Object.entries(TABLES))
        expect([name, (yield* columnsOf(url, name)).map((row) => row.name)]).toEqual([
          name,
          Object.keys(columns),
        ]);
      expect(yield* versions(url)).toEqual([1, 2]);
    }));

  test("one of version 1 is brought up to date in place: it loses nothing, and its tables are what its events say", () =>
    run(function* () {
      const url = yield* useFirst(usePlace);
      const before = yield* rowsOf(url, EVERY);
      const store = yield* openStore(url);
      expect(yield* rowsOf(url, EVERY, ADDED)).toEqual(before);

      // the same entries, written by this version
      const other = yield* usePlace();
      const again = yield* openStore(other);
      for (const id of ["ended", "cut"])
        yield* scoped(function* () {
          const journal = yield* again.journal(id);
          for (const entry of yield* store.record(id)) journal.add(entry);
          yield* flushed(journal);
        });
      const derived = Object.keys(TABLES).filter((name) => name !== "runs");
      expect(yield* rowsOf(url, derived)).toEqual(yield* rowsOf(other, derived));
      expect(yield* store.runs()).toEqual(yield* again.runs());
      for (const id of ["ended", "cut"]) {
        expect(yield* store.record(id)).toEqual(yield* again.record(id));
        // when a person decided is no entry: the first knows, the other goes by when its run took note
        expect(untimed(yield* store.show(id))).toEqual(untimed(yield* again.show(id)));
      }
      expect(yield* store.show("ended")).toMatchObject({ status: "completed", calls: 6, refusals: 5 });
    }));

  test("a run that was begun at version 1 goes on", () =>
    run(function* () {
      const store = yield* openStore(yield* useFirst(usePlace));
      const asked = yield* store.approvals.list({ run: "cut" });
      expect(asked.map(({ run, args }) => [run, args])).toEqual([
        ["cut", { to: "ann" }],
        ["cut", { to: "bob" }],
      ]);
      for (const { id } of asked) yield* store.approvals.approve(id);
      const result = yield* scoped(function* () {
        const journal = yield* store.journal("cut");
        return yield* agentPool({ ...job(), run: "cut", journal });
      });
      expect(result.agents.map((agent) => agent.result)).toEqual(["zero", "one, in words"]);
      expect(result.totals).toMatchObject({ agents: 3, turns: 9, toolCalls: 7 });
      const view = yield* store.show("cut");
      expect(view.calls).toBe(7);
      const made = view.agentViews.flatMap(({ turns }) => turns.flatMap(({ calls }) => calls));
      expect(made.filter((call) => call.type === "call" && call.terminal).map(({ call }) => call)).toEqual([
        "work/0:4#0",
        "work/1:2#0~0/0:2#0",
      ]);
    }));

  test(
    "one that several processes open at once is brought up to date once",
    () =>
      run(function* () {
        const url = yield* useFirst(usePlace);
        const openers = [opener(url), opener(url), opener(url)];
        const ready = openers.map(
          (child) => new Promise<void>((resolve) => child.stdout.once("data", () => resolve())),
        );
        const ended = openers.map(said);
        yield* until(Promise.all(ready));
        for (const { stdin } of openers) stdin.end("go");
        expect(yield* until(Promise.all(ended))).toEqual(openers.map(() => "ready\ncut ended\n"));
        expect(yield* versions(url)).toEqual([1, 2]);
      }),
    60_000,
  );

  test("one of a newer version is not touched, and both versions are named", () =>
    run(function* () {
      const url = yield* useFirst(usePlace);
      yield* script(url, "insert into agentpool_schema values (2); insert into agentpool_schema values (3);");
      const before = yield* rowsOf(url, EVERY);
      const error = yield* caught(openStore(url));
      expect(error).toMatchObject({ name: "StoreError", problem: "newer" });
      expect(error.message).toContain("schema 3; this one knows 2");
      expect(error.message).toContain("Update agentpool");
      expect(yield* rowsOf(url, EVERY)).toEqual(before);
      expect(yield* versions(url)).toEqual([1, 2, 3]);
    }));

  test("one that cannot be brought up to date stays as it was, and can be once what was in the way is gone", () =>
    run(function* () {
      const url = yield* useFirst(usePlace);
      // somebody's own column: the last that is added
      yield* script(url, "alter table calls add column terminal text;");
      const before = yield* rowsOf(url, EVERY);
      expect(yield* caught(openStore(url))).toMatchObject({ name: "StoreError", problem: "failed" });
      expect(yield* rowsOf(url, EVERY)).toEqual(before);
      expect((yield* columnsOf(url, "turns")).map(({ name }) => name)).not.toContain("model");
      expect(yield* versions(url)).toEqual([1]);
      yield* script(url, "alter table calls drop column terminal;");
      const store = yield* openStore(url);
      expect((yield* store.runs()).map(({ id }) => id)).toEqual(["cut", "ended"]);
    }));
});
