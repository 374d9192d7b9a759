import { run, scoped } from "effection";
import { expect, test } from "vitest";
import { LeaseError, openStore, UnknownRunError } from "../src/index.ts";
import { onEveryEngine } from "./places.ts";
import { caught, eventsOfRun, flushed, recorded, started } from "./support.ts";

onEveryEngine((usePlace) => {
  test("what was appended and flushed is there in its order for who opens the run next", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      const events = yield* scoped(function* () {
        const journal = yield* store.journal("r1");
        expect(journal.recorded).toEqual([]);
        const seen = yield* eventsOfRun("r1", (event) => journal.append(event));
        yield* flushed(journal);
        expect(journal.flush()).toBeUndefined();
        return seen;
      });
      const kept = events.filter((event) => !["turn:delta", "agent:state"].includes(event.type));
      const journal = yield* store.journal("r1");
      expect(journal.recorded).toEqual(JSON.parse(JSON.stringify(kept)));
    }));

  test("a run has one writer at a time, and another run has its own", () =>
    run(function* () {
      const place = yield* usePlace();
      const store = yield* openStore(place);
      const other = yield* openStore(place);
      yield* scoped(function* () {
        yield* store.journal("r1");
        expect(yield* caught(other.journal("r1"))).toBeInstanceOf(LeaseError);
        yield* other.journal("r2");
      });
      yield* other.journal("r1");
    }));

  test("a lease that was not renewed in time is free, and its owner writes nothing more", () =>
    run(function* () {
      const place = yield* usePlace();
      let now = 1_000_000;
      const slow = yield* openStore(place, { now: () => now });
      const other = yield* openStore(place, { now: () => now });
      const lost = yield* slow.journal("r1");
      lost.note(started("r1"));
      yield* flushed(lost);
      now += 31_000;
      const won = yield* other.journal("r1");
      lost.append({ type: "notice", run: "r1", at: 1, message: "from the grave" });
      expect(yield* caught(flushed(lost))).toBeInstanceOf(LeaseError);
      expect(() => lost.append({ type: "notice", run: "r1", at: 1, message: "again" })).toThrow(LeaseError);
      won.append({ type: "notice", run: "r1", at: 2, message: "alive" });
      yield* flushed(won);
      expect((yield* other.record("r1")).map(({ type }) => type)).toEqual(["run:started", "notice"]);
    }));

  test("a sealed journal takes nothing more: what a halt does to the agents is not on record", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      const journal = yield* store.journal("r1");
      journal.note(started("r1"));
      journal.seal();
      journal.append({ type: "notice", run: "r1", at: 2, message: "halted" });
      yield* flushed(journal);
      expect(yield* store.record("r1")).toHaveLength(1);
    }));

  test("runs are listed newest first, with what they did", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      yield* recorded(store, "r1", 1_000);
      yield* recorded(store, "r2", 2_000);
      const [newest, oldest, ...others] = yield* store.runs();
      expect(others).toEqual([]);
      expect(oldest?.id).toBe("r1");
      expect(newest).toEqual({
        id: "r2",
        question: "What of r2?",
        status: "completed",
        startedAt: "1970-01-01T00:00:02.000Z",
        endedAt: "1970-01-01T00:00:02.500Z",
        agents: 2,
        turns: 6,
        calls: 6,
        refusals: 2,
        tokens: expect.any(Number),
        cost: null,
      });
      expect(yield* store.runs({ limit: 1 })).toEqual([newest]);
    }));

  test("a run shows its agents, their turns, and what became of every call", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      yield* recorded(store, "r1");
      const view = yield* store.show("r1");
      expect(view).toMatchObject({ status: "completed", answer: "It is so.", error: null });
      expect(view.agentViews.map(({ agent, task, exit, result }) => [agent, task, exit, result])).toEqual([
        ["agent/0", "one", "text", "Found it."],
        ["agent/1", "two", "text", "Found it."],
      ]);
      const steps = view.agentViews[0]?.turns.map(({ calls }) =>
        calls.map((call) => (call.type === "call" ? [call.outcome, call.attended] : [call.type, call.guard])),
      );
      expect(steps).toEqual([
        [
          ["ok", true],
          ["error", false],
        ],
        [
          ["refused", "page_dedup"],
          ["ok", true],
        ],
        [],
      ]);
      const [first] = view.agentViews[0]?.turns[0]?.calls ?? [];
      expect(first).toMatchObject({ args: { page: "a" }, result: { page: "a", text: "a ".repeat(800) } });
    }));

  test("a run whose process is gone is interrupted, and shows what it had", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      yield* scoped(function* () {
        const journal = yield* store.journal("r1");
        journal.note(started("r1"));
        yield* eventsOfRun("r1", (event) => journal.append(event));
        yield* flushed(journal);
        expect((yield* store.runs())[0]?.status).toBe("running");
      });
      expect((yield* store.show("r1")).status).toBe("interrupted");
      expect((yield* store.show("r1")).agentViews).toHaveLength(2);
    }));

  test("a run is found by its beginning, and latest is the newest; what fits several or none is an error", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      expect((yield* caught(store.find("latest"))).message).toMatch("No run is on record yet");
      yield* recorded(store, "20260101-a", 1_000);
      yield* recorded(store, "20260102-b", 2_000);
      expect(yield* store.find("latest")).toBe("20260102-b");
      expect(yield* store.find("20260101")).toBe("20260101-a");
      const several = yield* caught(store.find("2026"));
      expect(several).toBeInstanceOf(UnknownRunError);
      expect(several.message).toBe("Several runs begin with 2026: 20260102-b, 20260101-a. Write more of it.");
      expect((yield* caught(store.find("x"))).message).toMatch("There is no run x on record");
    }));

  test("pruning takes the oldest, says what it would take, and leaves runs that are running or wait", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      for (const at of [1, 2, 3]) yield* recorded(store, `r${at}`, at * 1_000);
      yield* scoped(function* () {
        const journal = yield* store.journal("r0");
        journal.note(started("r0", "Still?", 500));
        yield* flushed(journal);
        const planned = yield* store.prune({ keep: 1, dryRun: true });
        expect(planned.map(({ id }) => id)).toEqual(["r2", "r1"]);
        expect(yield* store.runs()).toHaveLength(4);
        expect((yield* store.prune({ before: 2_000 })).map(({ id }) => id)).toEqual(["r1"]);
        expect((yield* store.prune({ keep: 1 })).map(({ id }) => id)).toEqual(["r2"]);
      });
      expect((yield* store.runs()).map(({ id }) => id)).toEqual(["r3", "r0"]);
      expect(yield* store.record("r1")).toEqual([]);
    }));
});
