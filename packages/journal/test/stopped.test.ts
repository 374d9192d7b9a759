import { type Operation, run, scoped } from "effection";
import { expect, test } from "vitest";
import { openStore, type RunEntry, type Store } from "../src/index.ts";
import { onEveryEngine } from "./places.ts";
import { flushed, started } from "./support.ts";

/** Puts entries of a run on record, as one process does, and gives how the run stands when that is gone. */
function* left(store: Store, ...entries: readonly RunEntry[]): Operation<object> {
  yield* scoped(function* () {
    const journal = yield* store.journal("r1");
    for (const entry of entries) journal.note(entry);
    yield* flushed(journal);
  });
  const { status, stopped, endedAt } = yield* store.show("r1");
  expect((yield* store.runs())[0]?.status).toBe(status);
  return { status, stopped, ended: endedAt !== null };
}

onEveryEngine((usePlace) => {
  const stopped = (by: "ctrl-c" | "SIGTERM") => ({ type: "run:stopped", run: "r1", at: 2_000, by }) as const;
  const resumed = { type: "run:resumed", run: "r1", at: 3_000 } as const;

  test("a run whose person stopped it is cancelled, until somebody takes it up", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      expect(yield* left(store, started("r1"), stopped("ctrl-c"))).toEqual({
        status: "cancelled",
        stopped: "ctrl-c",
        ended: true,
      });
      expect(yield* left(store, resumed)).toEqual({ status: "interrupted", stopped: null, ended: false });
    }));

  test("a run that a signal stopped is interrupted, as one that crashed is, and says so", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      expect(yield* left(store, started("r1"))).toMatchObject({ status: "interrupted", stopped: null });
      expect(yield* left(store, resumed, stopped("SIGTERM"))).toEqual({
        status: "interrupted",
        stopped: "SIGTERM",
        ended: false,
      });
    }));

  test("a run that came to its end was not stopped, whatever happened before", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      const ended = { type: "run:ended", run: "r1", at: 4_000, status: "completed" } as const;
      expect(yield* left(store, started("r1"), stopped("ctrl-c"), resumed, ended)).toEqual({
        status: "completed",
        stopped: null,
        ended: true,
      });
    }));
});
