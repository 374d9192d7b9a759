import { run, scoped, until } from "effection";
import { expect, test } from "vitest";
import { LeaseError, openStore } from "../src/index.ts";
import { eventsOfRun, useFolder } from "./support.ts";

const url = (folder: string) => `sqlite:${folder}/.pool/runs.db`;

test("what was appended and flushed is there in its order for who opens the run next", () =>
  run(function* () {
    const store = yield* openStore(url(yield* useFolder()));
    const events = yield* scoped(function* () {
      const journal = yield* store.journal("r1");
      expect(journal.recorded).toEqual([]);
      const seen = yield* eventsOfRun("r1", (event) => journal.append(event));
      yield* until(journal.flush() ?? Promise.resolve());
      expect(journal.flush()).toBeUndefined();
      return seen;
    });
    const kept = events.filter((event) => !["turn:delta", "agent:state"].includes(event.type));
    const journal = yield* store.journal("r1");
    expect(journal.recorded).toEqual(JSON.parse(JSON.stringify(kept)));
  }));

test("a run has one writer at a time", () =>
  run(function* () {
    const folder = yield* useFolder();
    const store = yield* openStore(url(folder));
    const other = yield* openStore(url(folder));
    yield* scoped(function* () {
      yield* store.journal("r1");
      const error = yield* caught(other.journal("r1"));
      expect(error).toBeInstanceOf(LeaseError);
      yield* other.journal("r2");
    });
    yield* other.journal("r1");
  }));

function* caught(operation: import("effection").Operation<unknown>) {
  try {
    yield* operation;
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
