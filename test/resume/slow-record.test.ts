import { JournalError, parallel, ToolRetryError } from "@agentpool/core";
import { type Operation, run, scoped, spawn } from "effection";
import { describe, expect, it } from "vitest";
import {
  ask,
  finish,
  held,
  instant,
  leftovers,
  ofType,
  open,
  playing,
  quiet,
  report,
  strayRejections,
  textOf,
  thrownBy,
} from "../scenarios/support.ts";
import { memoryJournal } from "./memory-journal.ts";
import { pool, resume } from "./support.ts";

/** A journal whose writes are done, or fail, when the test says so. */
function heldJournal() {
  let isHeld = false;
  let full: Error | undefined;
  const under = new Set<() => void>();
  const journal = memoryJournal([], {
    late: true,
    async write() {
      if (isHeld) await new Promise<void>((resolve) => under.add(resolve));
      if (full) throw full;
    },
  });
  const goOn = (): void => {
    isHeld = false;
    for (const resolve of under) resolve();
    under.clear();
  };
  return {
    journal,
    hold: () => {
      isHeld = true;
    },
    goOn,
    fail: () => {
      full = new Error("disk full");
      goOn();
    },
    /** How many writes are under way. */
    get under() {
      return under.size;
    },
    get durable() {
      return journal.entries.slice(0, journal.durable);
    },
  };
}

const script = [ask("find", { q: "a" }), report("found a")];

/** A pool whose first call waits for its intent to be written. */
function* beforeIntent(tool = instant("find", { idempotent: true })) {
  const record = heldJournal();
  const model = playing({ wait: 10, ...script[0] }, script[1]!);
  const rig = yield* open({ ...pool({ model, tools: [tool] }), journal: record.journal });
  yield* settled();
  record.hold();
  rig.clock.step();
  yield* settled();
  expect([record.under, tool.asked]).toEqual([1, []]);
  return { ...rig, record, tool, model };
}

type Begun = ReturnType<typeof beforeIntent> extends Generator<unknown, infer T> ? T : never;

/** Until writes that are not held are over as well. */
function* settled(): Operation<void> {
  for (let turn = 0; turn < 3; turn++) yield* quiet;
}

describe("while a run's record is slow", () => {
  it("a call whose intent is being written does not begin once the run winds down, and its agent reports", () =>
    run(function* () {
      const { record, tool, ...rig } = yield* beforeIntent();
      rig.handle.windDown();
      yield* settled();
      expect(rig.outcome).toEqual({});
      record.goOn();
      const { agents } = yield* finish(rig);
      expect(tool.asked).toEqual([]);
      expect(agents[0]).toMatchObject({ exit: "cancelled", toolCallCount: 0, result: "found a" });
      expect(ofType(rig.events, "call:withdrawn")).toHaveLength(1);
      const again = yield* resume(pool({ model: playing(...script), tools: [tool] }), record.durable);
      expect([again.result.agents[0]!.exit, tool.asked]).toEqual(["cancelled", []]);
    }));

  it("a call whose intent is being written as the run is paused begins when that ends", () =>
    run(function* () {
      const { record, tool, ...rig } = yield* beforeIntent();
      rig.handle.pause();
      record.goOn();
      yield* settled();
      expect(tool.asked).toEqual([]);
      rig.handle.resume();
      expect((yield* finish(rig)).agents[0]!.result).toBe("found a");
      expect(tool.asked).toEqual(["a"]);
    }));

  it("a pause that ends before the write does changes nothing", () =>
    run(function* () {
      const { record, tool, ...rig } = yield* beforeIntent();
      rig.handle.pause();
      rig.handle.resume();
      yield* settled();
      expect(tool.asked).toEqual([]);
      record.goOn();
      expect((yield* finish(rig)).agents[0]!.result).toBe("found a");
    }));

  it("what a person says to an agent meanwhile is heard in its next turn, and is on record before", () =>
    run(function* () {
      const { record, model, ...rig } = yield* beforeIntent();
      expect(rig.handle.steer("agent/0", "Hurry.")).toBe(true);
      record.goOn();
      yield* finish(rig);
      expect(textOf(model.requestsOf("agent/0")[1]!.messages)).toContain("Hurry.");
      const types = record.durable.map(({ type }) => type);
      expect(types.indexOf("agent:steered")).toBeLessThan(types.lastIndexOf("turn:started"));
    }));

  it("an agent that is cancelled is over at once; who cancelled it goes on once that is on record", () =>
    run(function* () {
      const { record, tool, ...rig } = yield* beforeIntent();
      const cancelling = yield* spawn(() => rig.handle.cancel("agent/0"));
      let isOver = false;
      yield* spawn(function* () {
        yield* cancelling;
        isOver = true;
      });
      yield* settled();
      expect([isOver, ofType(rig.events, "agent:ended").length]).toEqual([false, 1]);
      record.goOn();
      expect((yield* finish(rig)).agents[0]!.exit).toBe("cancelled");
      yield* cancelling;
      expect(record.durable.some(({ type }) => type === "agent:ended")).toBe(true);
      expect(tool.asked).toEqual([]);
    }));

  it("a halt leaves nothing behind, and nothing happens when the write is over, well or badly", async () => {
    for (const end of ["goOn", "fail"] as const) {
      const strays = await strayRejections(() =>
        run(function* () {
          let left!: Begun;
          yield* scoped(function* () {
            left = yield* beforeIntent();
          });
          const { length } = left.events;
          expect(leftovers(left)).toEqual([]);
          left.record[end]();
          yield* settled();
          expect([left.tool.asked, left.events.length]).toEqual([[], length]);
          const again = yield* resume(
            pool({ model: playing(...script), tools: [left.tool] }),
            left.record.durable,
          );
          expect(again.result.agents[0]!.result).toBe("found a");
        }),
      );
      expect(strays).toEqual([]);
    }
  });
});

describe("where a run's record fails", () => {
  it("while it winds down it ends with that, and goes on from what is durable", () =>
    run(function* () {
      const { record, tool, ...rig } = yield* beforeIntent();
      rig.handle.windDown();
      record.fail();
      expect(yield* thrownBy(finish(rig))).toBeInstanceOf(JournalError);
      expect([tool.asked, leftovers(rig)]).toEqual([[], []]);
      const again = yield* resume(pool({ model: playing(...script), tools: [tool] }), record.durable);
      expect(again.result.agents[0]!.result).toBe("found a");
      expect(tool.asked).toEqual(["a"]);
    }));

  it("while it is paused it ends all the same", () =>
    run(function* () {
      const { record, tool, ...rig } = yield* beforeIntent();
      rig.handle.pause();
      record.fail();
      expect(yield* thrownBy(finish(rig))).toBeInstanceOf(JournalError);
      expect([tool.asked, leftovers(rig)]).toEqual([[], []]);
    }));

  it("who speaks to an agent then, or ends one, is told", () =>
    run(function* () {
      const { record, ...rig } = yield* beforeIntent();
      const cancelling = yield* spawn(() => thrownBy(rig.handle.cancel("agent/0")));
      record.fail();
      yield* settled();
      expect(yield* cancelling).toBeInstanceOf(JournalError);
      expect(rig.handle.steer("agent/0", "Hurry.")).toBe(false);
      expect(rig.outcome.error).toBeInstanceOf(JournalError);
    }));

  it.each([
    ["for a retry", held("find"), {}],
    ["for a person", instant("find"), { requireApproval: ["find"] }],
    ["for a client", instant("find", { target: "client" }), {}],
  ])("those who wait %s wait no more, and nothing is left", (_, tool, more) =>
    run(function* () {
      const record = heldJournal();
      const options = pool({
        model: playing(...script),
        tools: [tool],
        orchestrate: parallel(["a", "b"]),
        ...more,
      });
      const rig = yield* open({ ...options, journal: record.journal });
      yield* settled();
      if ("held" in tool) for (const call of tool.running) call.fail(new ToolRetryError("busy", 1_000));
      yield* settled();
      expect(rig.handle.inspect().parked).toBe(2);
      record.fail();
      rig.handle.steer("agent/0", "Are you there?");
      expect(yield* thrownBy(finish(rig))).toBeInstanceOf(JournalError);
      expect([leftovers(rig), rig.handle.approvals.list(), rig.handle.clientCalls()]).toEqual([[], [], []]);
    }),
  );
});
