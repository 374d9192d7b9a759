import { type Clock, type ManualClock, ModelLimitError, manualClock, sleepOn } from "@agentpool/core";
import { type Operation, run, scoped, spawn, suspend, type Task, withResolvers } from "effection";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Ended, Limiter, type Place } from "./limiter.ts";

const answered: Ended = { type: "answered" };
const limited = (retryAfterMs?: number): Ended => ({ type: "limited", retryAfterMs });

/** A request that ends when it is told how. */
interface Request {
  readonly task: Task<void>;
  readonly place: Place;
  end(ended: Ended): void;
}

function* request(limiter: Limiter, clock: Clock): Operation<Request> {
  const place: Place = { held: false, era: 0 };
  const ending = withResolvers<Ended>();
  const task = yield* spawn(function* () {
    let ended: Ended = { type: "abandoned" };
    try {
      yield* limiter.enter(place, clock);
      ended = yield* ending.operation;
    } finally {
      limiter.leave(place, clock, ended);
    }
  });
  return { task, place, end: ending.resolve };
}

function* requests(n: number, limiter: Limiter, clock: Clock): Operation<Request[]> {
  const made: Request[] = [];
  for (let at = 0; at < n; at++) made.push(yield* request(limiter, clock));
  yield* turn();
  return made;
}

/** Lets everything that is ready go on. */
function* turn(): Operation<void> {
  const next = withResolvers<void>();
  setImmediate(next.resolve);
  yield* next.operation;
}

function* ended(ended: Ended, ...all: readonly Request[]): Operation<void> {
  for (const one of all) {
    one.end(ended);
    yield* one.task;
  }
  yield* turn();
}

const held = (all: readonly Request[]): number[] => all.flatMap(({ place }, at) => (place.held ? [at] : []));

const within = (body: (clock: ManualClock) => Operation<void>) => () =>
  run(() => scoped(() => body(manualClock())));

describe("a limiter", () => {
  it(
    "does not hold anybody back before it is told to",
    within(function* (clock) {
      const limiter = new Limiter();
      expect(held(yield* requests(20, limiter, clock))).toHaveLength(20);
      expect(clock.pending).toBe(0);
    }),
  );

  it(
    "never has more under way than it may",
    within(function* (clock) {
      const limiter = new Limiter({ concurrency: 3 });
      const all = yield* requests(5, limiter, clock);
      expect(held(all)).toEqual([0, 1, 2]);
      yield* ended(answered, all[1]!);
      expect(held(all)).toEqual([0, 2, 3]);
    }),
  );

  it(
    "halves what was under way when it is told to slow down, once for all who were",
    within(function* (clock) {
      const limiter = new Limiter();
      const all = yield* requests(8, limiter, clock);
      yield* ended(limited(), ...all);
      expect(limiter.pace).toEqual({ window: 4, spacing: 100 });
      clock.advance(1_000);
      yield* ended(limited(), ...(yield* requests(1, limiter, clock)));
      expect(limiter.pace).toEqual({ window: 1, spacing: 200 });
    }),
  );

  it(
    "lets one more in for every window of answers, and waits a tenth less for each, up to where it began",
    within(function* (clock) {
      const limiter = new Limiter({ concurrency: 4 });
      yield* ended(limited(), ...(yield* requests(4, limiter, clock)));
      expect(limiter.pace).toEqual({ window: 2, spacing: 100 });
      const windows: number[] = [];
      for (let at = 0; at < 40; at++) {
        clock.advance(1_000);
        yield* ended(answered, ...(yield* requests(1, limiter, clock)));
        windows.push(limiter.pace.window);
      }
      expect(windows[0]).toBe(2.5);
      expect(windows.at(-1)).toBe(4);
      expect(limiter.pace.spacing).toBe(0);
    }),
  );

  it(
    "does not speed up by answers to what was asked before it slowed down",
    within(function* (clock) {
      const limiter = new Limiter();
      const all = yield* requests(4, limiter, clock);
      yield* ended(limited(), all[0]!);
      const { pace } = limiter;
      yield* ended(answered, ...all.slice(1));
      expect(limiter.pace).toBe(pace);
    }),
  );

  it(
    "starts those who wait one after the other, first come first served, on their clock",
    within(function* (clock) {
      const limiter = new Limiter();
      yield* ended(limited(), ...(yield* requests(8, limiter, clock)));
      const all = yield* requests(3, limiter, clock);
      const seen: number[][] = [held(all)];
      for (let at = 0; at < 3; at++) {
        clock.advance(100);
        yield* turn();
        seen.push(held(all));
      }
      expect(seen).toEqual([[], [0], [0, 1], [0, 1, 2]]);
    }),
  );

  it(
    "holds everybody for as long as one was told to wait",
    within(function* (clock) {
      const limiter = new Limiter();
      yield* ended(limited(3_000), ...(yield* requests(1, limiter, clock)));
      const all = yield* requests(2, limiter, clock);
      clock.advance(2_999);
      yield* turn();
      expect(held(all)).toEqual([]);
      clock.advance(1);
      yield* turn();
      expect(held(all)).toEqual([0]);
    }),
  );

  it(
    "says how long a long wait is instead of waiting it out, to those who come and to those who wait",
    within(function* (clock) {
      const limiter = new Limiter({ name: "acme", concurrency: 1 });
      const [first] = yield* requests(1, limiter, clock);
      const refused = yield* spawn(() => refusalOf(limiter, clock));
      yield* turn();
      yield* ended(limited(60_000), first!);
      expect(yield* refused).toMatchObject({ retryAfterMs: 60_000 });
      clock.advance(20_000);
      const late = yield* refusalOf(limiter, clock);
      expect(late).toMatchObject({ message: "acme asked to wait; nothing was sent", retryAfterMs: 40_000 });
      expect(limiter.waiting).toBe(0);
      clock.advance(40_000);
      expect(held(yield* requests(1, limiter, clock))).toEqual([0]);
    }),
  );

  it(
    "has nobody waiting and no alarm set once those who waited are halted",
    within(function* (clock) {
      const limiter = new Limiter();
      yield* ended(limited(4_000), ...(yield* requests(1, limiter, clock)));
      const all = yield* requests(3, limiter, clock);
      expect([limiter.waiting, clock.pending]).toEqual([3, 1]);
      for (const { task } of all) yield* task.halt();
      expect([limiter.waiting, clock.pending, limiter.held]).toEqual([0, 0, 0]);
    }),
  );

  it(
    "loses no place of one that is halted as it is let in",
    within(function* (clock) {
      const limiter = new Limiter({ concurrency: 1 });
      const [first, second, third] = yield* requests(3, limiter, clock);
      yield* scoped(function* () {
        yield* spawn(() => first!.task);
        first!.end(answered);
        yield* second!.task.halt();
      });
      yield* turn();
      expect(limiter.held).toBe(1);
      expect(third!.place.held).toBe(true);
    }),
  );

  it(
    "lets nobody in whose turn comes because others are halted with them",
    within(function* (clock) {
      const limiter = new Limiter({ concurrency: 2 });
      let started = 0;
      const everybody = yield* spawn(function* () {
        for (let at = 0; at < 10; at++) {
          yield* spawn(function* () {
            const place: Place = { held: false, era: 0 };
            try {
              yield* limiter.enter(place, clock);
              started++;
              yield* suspend();
            } finally {
              limiter.leave(place, clock, { type: "abandoned" });
            }
          });
        }
        yield* suspend();
      });
      yield* turn();
      yield* everybody.halt();
      yield* turn();
      expect([started, limiter.held, limiter.waiting]).toEqual([2, 0, 0]);
    }),
  );

  it("never has more under way than its window, and keeps nobody waiting for ever, whatever happens", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            ms: fc.integer({ min: 0, max: 400 }),
            end: fc.constantFrom<"answered" | "limited" | "later" | "failed" | "halt">(
              "answered",
              "limited",
              "later",
              "failed",
              "halt",
            ),
          }),
          { minLength: 1, maxLength: 25 },
        ),
        (plans) =>
          run(function* () {
            const clock = manualClock();
            const limiter = new Limiter({ concurrency: 4 });
            const tasks: Task<void>[] = [];
            for (const { ms, end } of plans) {
              tasks.push(yield* spawn(() => life(limiter, clock, ms, end)));
            }
            yield* turn();
            for (let steps = 0; limiter.held + limiter.waiting > 0 || clock.pending > 0; steps++) {
              expect(steps).toBeLessThan(2_000);
              expect(limiter.held).toBeLessThanOrEqual(4);
              clock.step();
              yield* turn();
            }
            for (const task of tasks) yield* task;
            expect([limiter.held, limiter.waiting, clock.pending]).toEqual([0, 0, 0]);
          }),
      ),
      { numRuns: 40 },
    ));
});

function* life(
  limiter: Limiter,
  clock: Clock,
  ms: number,
  end: "answered" | "limited" | "later" | "failed" | "halt",
): Operation<void> {
  const asking = yield* spawn(function* () {
    const place: Place = { held: false, era: 0 };
    let how: Ended = { type: "abandoned" };
    try {
      yield* limiter.enter(place, clock);
      yield* sleepOn(clock, ms);
      if (end === "later") how = limited(ms * 3);
      else if (end !== "halt") how = end === "limited" ? limited() : { type: end };
    } finally {
      limiter.leave(place, clock, how);
    }
  });
  if (end !== "halt") return yield* asking;
  yield* sleepOn(clock, ms / 2);
  yield* asking.halt();
}

function* refusalOf(limiter: Limiter, clock: Clock): Operation<ModelLimitError> {
  const place: Place = { held: false, era: 0 };
  try {
    yield* limiter.enter(place, clock);
  } catch (error) {
    if (error instanceof ModelLimitError) return error;
    throw error;
  } finally {
    limiter.leave(place, clock, { type: "abandoned" });
  }
  throw new Error("was let in");
}
