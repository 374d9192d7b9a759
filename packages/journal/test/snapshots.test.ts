import { ensure, run, spawn, until } from "effection";
import { expect, test } from "vitest";
import type { Engine } from "../src/engine/engine.ts";
import { openPostgres } from "../src/engine/postgres.ts";
import { openSqlite } from "../src/engine/sqlite.ts";
import { openStore, type RunJournal, type RunView, type Store } from "../src/index.ts";
import { onEveryEngine } from "./places.ts";
import { hasPostgres, startPostgres } from "./postgres.ts";
import { eventsOfRun, flushed, started } from "./support.ts";

const engineOf = async (url: string): Promise<Engine> =>
  url.startsWith("sqlite:") ? openSqlite(url.slice("sqlite:".length)) : await openPostgres(url);

onEveryEngine((usePlace) => {
  test("what is read together is as it stood at one moment, whatever is written meanwhile", () =>
    run(function* () {
      const url = yield* usePlace();
      const [reader, writer] = [yield* until(engineOf(url)), yield* until(engineOf(url))];
      yield* until(writer.script("create table t (value integer);"));
      const add = { sql: "insert into t values (?)", params: [1] };
      const count = "select count(*) as count from t";
      yield* until(writer.write([add]));
      const seen = yield* until(
        reader.snapshot(async ({ all }) => {
          const before = await all(count);
          await writer.write([add]);
          return [...before, ...(await all(count))].map(({ count }) => count);
        }),
      );
      expect(seen).toEqual([1, 1]);
      expect(yield* until(reader.all(count))).toEqual([{ count: 2 }]);
      yield* until(Promise.all([reader.close(), writer.close()]));
    }));

  test("one whose reading fails leaves the others theirs, and says what failed", () =>
    run(function* () {
      const reader = yield* until(engineOf(yield* usePlace()));
      const good = reader.snapshot(async ({ all }) => [
        ...(await all("select 1 as a")),
        ...(await all("select 2 as a")),
      ]);
      const bad = reader.snapshot(async ({ all }) => all("select * from nowhere"));
      const [first, second] = yield* until(Promise.allSettled([good, bad]));
      expect(first).toMatchObject({ status: "fulfilled", value: [{ a: 1 }, { a: 2 }] });
      expect(second).toMatchObject({ status: "rejected", reason: { name: "StoreError" } });
      expect(yield* until(reader.snapshot(({ all }) => all("select 3 as a")))).toEqual([{ a: 3 }]);
      yield* until(reader.close());
    }));

  test("who looks at a run while it is written sees every turn whole, and each large text that is referred to", () =>
    run(function* () {
      const url = yield* usePlace();
      const [store, watcher] = [yield* openStore(url), yield* openStore(url)];
      const journal = yield* store.journal("r1");
      yield* written(journal, started("r1"));
      let isOver = false;
      const writing = yield* spawn(function* () {
        for (const entry of yield* eventsOfRun("r1")) yield* written(journal, entry);
        isOver = true;
      });
      const torn: unknown[] = [];
      while (!isOver) {
        torn.push(...(yield* tornIn(watcher)));
        yield* until(new Promise((resolve) => setImmediate(resolve)));
      }
      yield* writing;
      expect(torn).toEqual([]);
      expect((yield* watcher.show("r1")).turns).toBe(6);
    }));
});

test.skipIf(!hasPostgres)(
  "a connection that breaks in somebody's hands is an error of who asks next, and of nobody else",
  () =>
    run(function* () {
      const server = yield* until(startPostgres());
      yield* ensure(() => until(server.stop()));
      const [reader, other] = [
        yield* until(openPostgres(server.url)),
        yield* until(openPostgres(server.url)),
      ];
      const broken = reader.snapshot(async ({ all }) => {
        const [backend] = await all("select pg_backend_pid() as pid");
        await other.all("select pg_terminate_backend(?::int)", [backend!.pid!]);
        const there = "select 1 from pg_stat_activity where pid = ?::int";
        while ((await other.all(there, [backend!.pid!])).length > 0);
        await new Promise((resolve) => setImmediate(resolve));
        return await all("select 1");
      });
      const [outcome] = yield* until(Promise.allSettled([broken]));
      expect(outcome).toMatchObject({ status: "rejected", reason: { problem: "unreachable" } });
      expect(yield* until(reader.all("select 1 as a"))).toEqual([{ a: 1 }]);
      yield* until(Promise.all([reader.close(), other.close()]));
    }),
);

function* written(journal: RunJournal, entry: Parameters<RunJournal["add"]>[0]) {
  journal.add(entry);
  yield* flushed(journal);
}

/** What cannot be together in one moment of a run. */
function* tornIn(store: Store) {
  const { view, entries } = yield* store.export("r1");
  const made = (type: string): number => entries.filter((entry) => entry.type === type).length;
  return [
    ["turns", view.turns, made("turn:completed"), turnsIn(view).length],
    ["calls", view.calls, made("call:dispatched"), callsIn(view).length],
    ["agents", view.agents, made("agent:spawned"), view.agentViews.length],
  ].filter(([, ...counts]) => new Set(counts).size > 1);
}

const turnsIn = ({ agentViews }: RunView) => agentViews.flatMap(({ turns }) => turns);
const callsIn = (view: RunView) =>
  turnsIn(view).flatMap(({ calls }) => calls.filter((call) => call.type === "call" && call.attempts > 0));
