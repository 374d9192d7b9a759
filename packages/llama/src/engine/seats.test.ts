import { type Operation, run, spawn, type Task, until, withResolvers } from "effection";
import { describe, expect, it } from "vitest";
import { Engine } from "./engine.ts";
import { MemoryKernel } from "./memory-kernel.testing.ts";
import { type Seat, Seats } from "./seats.ts";

function made(sequences: number) {
  const kernel = new MemoryKernel(sequences);
  const engine = new Engine(kernel);
  /** Set while somebody waits for the others to move: calling it says that they did not for long enough. */
  const patience: { end: (() => void) | undefined } = { end: undefined };
  const seats = new Seats(engine, (then) => {
    patience.end = () => {
      patience.end = undefined;
      then();
    };
    return () => {
      patience.end = undefined;
    };
  });
  return { kernel, engine, seats, patience };
}

/** A seat that has its sequence and is not writing. */
function* seated(seats: Seats, tokens: readonly number[] = []): Operation<Seat> {
  const seat = seats.newSeat();
  yield* seats.take(seat, tokens);
  seats.rest(seat);
  return seat;
}

describe("seats", () => {
  it("wait for a sequence when there are more of them, in the order they came", () =>
    run(function* () {
      const { seats } = made(1);
      const first = yield* seated(seats);
      first.spoke = true;
      const came: string[] = [];
      const waiting: Task<void>[] = [];
      for (const name of ["a", "b"])
        waiting.push(
          yield* spawn(function* () {
            const seat = yield* seated(seats);
            came.push(name);
            seats.leave(seat);
          }),
        );
      yield* turn();
      expect(came).toEqual([]);
      seats.leave(first);
      for (const task of waiting) yield* task;
      expect(came).toEqual(["a", "b"]);
    }));

  it("get the free sequence that holds most of what they need", () =>
    run(function* () {
      const { engine, seats } = made(3);
      yield* engine.compute(engine.slots[1]!, [1, 2, 3]);
      yield* engine.compute(engine.slots[2]!, [1, 2]);
      expect((yield* seated(seats, [1, 2, 3, 4])).slot).toBe(engine.slots[1]);
    }));

  it("take a spine's sequence at once: its forks hold what it held", () =>
    run(function* () {
      const { seats, engine } = made(1);
      const spine = yield* seated(seats);
      spine.forked = true;
      const fork = yield* seated(seats);
      expect(fork.slot).toBe(engine.slots[0]);
      expect(spine.slot).toBeUndefined();
    }));

  it("that are halted while they wait are forgotten, and a sequence granted to one is free again", () =>
    run(function* () {
      const { seats, engine } = made(1);
      const first = yield* seated(seats);
      const waiting = yield* spawn(() => seated(seats));
      yield* turn();
      yield* waiting.halt();
      seats.leave(first);
      expect((yield* seated(seats)).slot).toBe(engine.slots[0]);
    }));

  it("give way when everybody has been at rest for a while: whoever has been longest", () =>
    run(function* () {
      const { seats, patience } = made(2);
      const old = yield* seated(seats);
      const recent = yield* seated(seats);
      const coming = yield* spawn(() => seated(seats));
      yield* turn();
      patience.end!();
      expect([old.slot, recent.slot?.sequence, (yield* coming).slot?.sequence]).toEqual([undefined, 1, 0]);
      expect(patience.end).toBeUndefined();
    }));

  it("do not give way while anybody's tokens are computed, nor in the middle of a turn", () =>
    run(function* () {
      const { kernel, engine, seats, patience } = made(2);
      const gate = withResolvers<void>();
      kernel.gate = run(() => gate.operation);
      const resting = yield* seated(seats);
      const writing = seats.newSeat();
      yield* seats.take(writing, []);
      const computing = yield* spawn(() => engine.compute(writing.slot!, [1]));
      yield* turn();
      const waiting = yield* spawn(() => seated(seats));
      yield* turn();
      expect(patience.end).toBeUndefined();
      gate.resolve();
      yield* computing;
      patience.end!();
      expect((yield* waiting).slot).toBe(engine.slots[0]);
      expect(resting.slot).toBeUndefined();
      expect(writing.slot).toBe(engine.slots[1]);
    }));

  it("that are halted while they wait leave no timer behind", () =>
    run(function* () {
      const { seats, patience } = made(1);
      yield* seated(seats);
      const waiting = yield* spawn(() => seated(seats));
      yield* turn();
      expect(patience.end).toBeDefined();
      yield* waiting.halt();
      expect(patience.end).toBeUndefined();
    }));

  it("that gave way come back before others come in", () =>
    run(function* () {
      const { seats, patience } = made(1);
      const outer = yield* seated(seats);
      outer.spoke = true;
      const coming = yield* spawn(() => seated(seats));
      yield* turn();
      patience.end!();
      const inner = yield* coming;
      inner.spoke = true;
      const came: string[] = [];
      const newcomer = yield* spawn(function* () {
        const seat = yield* seated(seats);
        came.push("newcomer");
        seats.leave(seat);
      });
      const back = yield* spawn(function* () {
        yield* seats.take(outer, []);
        came.push("outer");
        seats.leave(outer);
      });
      yield* turn();
      seats.leave(inner);
      yield* back;
      yield* newcomer;
      expect(came).toEqual(["outer", "newcomer"]);
    }));
});

const turn = (): Operation<void> => until(new Promise((resolve) => setImmediate(resolve)));
