import { run, scoped, spawn, until } from "effection";
import Database from "libsql";
import pg from "pg";
import { expect, test } from "vitest";
import { openStore } from "../src/index.ts";
import { portionStatements } from "../src/store/write-portion.ts";
import { onEveryEngine } from "./places.ts";
import { flushed, started } from "./support.ts";

const late = { type: "notice", run: "r1", at: 2, message: "written at the last moment" } as const;

/** A connection that can be left in the middle of a transaction. */
interface Connection {
  readonly engine: "sqlite" | "postgres";
  query(sql: string, params?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** Whether somebody waits for what it holds, as far as the database says. */
  isWaitedFor(): Promise<boolean>;
  close(): Promise<void>;
}

async function connectionTo(url: string): Promise<Connection> {
  if (url.startsWith("sqlite:")) {
    const database = new Database(url.slice("sqlite:".length));
    return {
      engine: "sqlite",
      query: async (sql, params = []) => {
        const statement = database.prepare(sql);
        if (statement.reader) return statement.all(...params) as Record<string, unknown>[];
        statement.run(...params);
        return [];
      },
      isWaitedFor: async () => true,
      close: async () => void database.close(),
    };
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const query: Connection["query"] = async (sql, params = []) => {
    let at = 0;
    return (
      await client.query(
        sql.replace(/\?/g, () => `$${++at}`),
        [...params],
      )
    ).rows;
  };
  return {
    engine: "postgres",
    query,
    isWaitedFor: async () => (await query("select 1 from pg_locks where not granted")).length > 0,
    close: () => client.end(),
  };
}

onEveryEngine((usePlace) => {
  test("who takes a run over finds what its owner was writing at that moment", () =>
    run(function* () {
      const url = yield* usePlace();
      let now = 1_000_000;
      const slow = yield* openStore(url, { now: () => now });
      const other = yield* openStore(url, { now: () => now });
      const journal = yield* slow.journal("r1");
      journal.note(started("r1"));
      yield* flushed(journal);

      const connection = yield* until(connectionTo(url));
      const [lease] = yield* until(connection.query("select owner from leases"));
      yield* until(connection.query(connection.engine === "sqlite" ? "begin immediate" : "begin"));
      const written = {
        run: "r1",
        owner: String(lease!.owner),
        first: 1,
        count: 1,
        body: JSON.stringify([late]),
      };
      const portion = { ...written, texts: new Map(), known: new Set<string>(), changes: [] };
      for (const { sql, params } of portionStatements(connection.engine, portion))
        yield* until(connection.query(sql, params));

      now += 31_000;
      let isTaken = false;
      const taking = yield* spawn(function* () {
        const taken = yield* other.journal("r1");
        isTaken = true;
        return taken.history.map(({ type }) => type);
      });
      do yield* until(new Promise((resolve) => setImmediate(resolve)));
      while (!isTaken && !(yield* until(connection.isWaitedFor())));
      yield* until(connection.query("commit"));
      expect(yield* taking).toEqual(["run:started", "notice"]);
      yield* until(connection.close());
    }));
});

onEveryEngine((usePlace) => {
  test("a run whose journal was being opened as that was halted is free at once", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      for (const moments of [0, 1, 2, 3, 5, 8, 13, 21, 34, 55]) {
        const opening = yield* spawn(() => store.journal("r1"));
        for (let at = 0; at < moments; at++)
          yield* until(new Promise<void>((resolve) => setImmediate(resolve)));
        yield* opening.halt();
        yield* scoped(() => store.journal("r1"));
      }
    }));
});
