import {
  ensure,
  type Operation,
  resource,
  run,
  type Scope,
  scoped,
  suspend,
  until,
  useScope,
  withResolvers,
} from "effection";
import { expect, test } from "vitest";
import type { Engine } from "../src/engine/engine.ts";
import { openPostgres } from "../src/engine/postgres.ts";
import { openSqlite } from "../src/engine/sqlite.ts";
import { openStore, type RunJournal, type Store } from "../src/index.ts";
import { pruneRuns } from "../src/store/prune-runs.ts";
import { onEveryEngine } from "./places.ts";
import { flushed, recorded } from "./support.ts";

/** Prunes a store; once it was seen what may go, and before anything does, something happens. */
function* prune(url: string, meanwhile: () => Operation<void>): Operation<string[]> {
  const engine = yield* useEngine(url);
  const scope = yield* useScope();
  let isFirst = true;
  const interrupted: Engine = {
    ...engine,
    async all(sql, params) {
      const rows = await engine.all(sql, params);
      if (isFirst) {
        isFirst = false;
        await scope.run(meanwhile);
      }
      return rows;
    },
  };
  const removed = yield* until(pruneRuns(interrupted, {}, Date.now));
  return removed.map(({ id }) => id).sort();
}

const useEngine = (url: string): Operation<Engine> =>
  resource(function* (provide) {
    const engine = url.startsWith("sqlite:")
      ? openSqlite(url.replace("sqlite:", ""))
      : yield* until(openPostgres(url));
    yield* ensure(() => until(engine.close()));
    yield* provide(engine);
  });

/** Takes a run up, and has it for as long as a scope. */
function* takeUp(scope: Scope, store: Store, id: string): Operation<RunJournal> {
  const taken = withResolvers<RunJournal>();
  scope.run(function* () {
    taken.resolve(yield* store.journal(id));
    yield* suspend();
  });
  return yield* taken.operation;
}

onEveryEngine((usePlace) => {
  function* useRuns(): Operation<{ readonly url: string; readonly store: Store }> {
    const url = yield* usePlace();
    const store = yield* openStore(url);
    for (const id of ["r1", "r2"]) yield* recorded(store, id);
    return { url, store };
  }
  function* left(store: Store): Operation<string[]> {
    return (yield* store.runs()).map(({ id }) => id).sort();
  }

  test("a run that somebody takes up while runs are pruned stays, and goes on", () =>
    run(function* () {
      const { url, store } = yield* useRuns();
      const scope = yield* useScope();
      let journal!: RunJournal;
      const removed = yield* prune(url, function* () {
        journal = yield* takeUp(scope, store, "r1");
      });
      expect(removed).toEqual(["r2"]);
      journal.note({ type: "run:resumed", run: "r1", at: 3_000 });
      yield* flushed(journal);
      expect(yield* left(store)).toEqual(["r1"]);
      expect(yield* store.record("r1")).toHaveLength(journal.history.length + 1);
    }));

  test("one that was taken up and left waiting for people stays, and may be taken up again", () =>
    run(function* () {
      const { url, store } = yield* useRuns();
      const removed = yield* prune(url, () =>
        scoped(function* () {
          const journal = yield* store.journal("r2");
          journal.note({ type: "run:resumed", run: "r2", at: 3_000 });
          journal.note({ type: "run:waiting", run: "r2", at: 3_001 });
          yield* flushed(journal);
        }),
      );
      expect(removed).toEqual(["r1"]);
      expect((yield* store.show("r2")).status).toBe("waiting");
      yield* store.journal("r2");
    }));

  test("of two who prune at once each run is removed by one", () =>
    run(function* () {
      const { url, store } = yield* useRuns();
      let others: string[] = [];
      const removed = yield* prune(url, function* () {
        others = (yield* store.prune({ keep: 1 })).map(({ id }) => id);
      });
      expect(others).toHaveLength(1);
      expect([...removed, ...others].sort()).toEqual(["r1", "r2"]);
      expect(yield* left(store)).toEqual([]);
    }));
});
