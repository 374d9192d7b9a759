import { all, call, type Operation, run, spawn, until, withResolvers } from "effection";
import { describe, expect, it } from "vitest";
import { Engine } from "./engine.ts";
import { MemoryKernel } from "./memory-kernel.testing.ts";

function made(sequences = 3) {
  const kernel = new MemoryKernel(sequences);
  const engine = new Engine(kernel);
  return { kernel, engine, slots: engine.slots, sampler: engine.sampler(0) };
}

describe("the engine", () => {
  it("computes what several want in one batch", () =>
    run(function* () {
      const { kernel, engine, slots, sampler } = made();
      const tokens = yield* all(slots.map((slot, index) => engine.next(slot, [index + 1], sampler)));
      expect(tokens).toEqual([1, 2, 3]);
      expect(kernel.batches.map((parts) => parts.length)).toEqual([3]);
    }));

  it("keeps those who answer at once in step", () =>
    run(function* () {
      const { kernel, engine, slots, sampler } = made();
      yield* all(
        slots.map((slot) =>
          call(function* () {
            for (let turn = 0; turn < 5; turn++) yield* engine.next(slot, [1], sampler);
          }),
        ),
      );
      expect(kernel.batches.map((parts) => parts.length)).toEqual([3, 3, 3, 3, 3]);
    }));

  it("takes several batches for a long text", () =>
    run(function* () {
      const { kernel, engine, slots, sampler } = made();
      const text = Array.from({ length: 40 }, () => 1);
      expect(yield* engine.next(slots[0]!, text, sampler)).toBe(40);
      expect(kernel.batches.map(([part]) => part!.tokens.length)).toEqual([16, 16, 8]);
      expect(slots[0]!.tokens).toEqual(text);
    }));

  it("copies from whoever holds most, and forgets the rest", () =>
    run(function* () {
      const { kernel, engine, slots } = made();
      const shared = Array.from({ length: 20 }, (_, index) => index);
      yield* engine.compute(slots[0]!, [...shared, 100, 101]);
      yield* engine.compute(slots[1]!, [...shared.slice(0, 10), 7]);
      yield* engine.place(slots[2]!, [...shared, 200], 0);
      expect(slots[2]!.tokens).toEqual(shared);
      expect(kernel.held[2]).toEqual(shared);
    }));

  it("does not copy for a few tokens", () =>
    run(function* () {
      const { engine, slots } = made();
      const shared = Array.from({ length: 30 }, (_, index) => index);
      yield* engine.compute(slots[0]!, shared);
      yield* engine.compute(slots[1]!, shared.slice(0, 25));
      yield* engine.place(slots[1]!, shared, 0);
      expect(slots[1]!.tokens).toEqual(shared.slice(0, 25));
    }));

  it("leaves something to compute where a token will be asked for", () =>
    run(function* () {
      const { engine, slots } = made();
      yield* engine.compute(slots[0]!, [1, 2, 3]);
      yield* engine.place(slots[0]!, [1, 2, 3], 1);
      expect(slots[0]!.tokens).toEqual([1, 2]);
    }));

  it("knows after a failed batch that it does not know what its sequences hold", () =>
    run(function* () {
      const { kernel, engine, slots, sampler } = made();
      yield* engine.compute(slots[0]!, [1, 2]);
      yield* engine.compute(slots[1]!, [5]);
      kernel.failure = new Error("out of cells");
      let message = "";
      try {
        yield* engine.next(slots[0]!, [3], sampler);
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).toBe("out of cells");
      expect(slots.map(({ tokens }) => tokens)).toEqual([[], [5], []]);
      expect(yield* engine.next(slots[0]!, [4], sampler)).toBe(4);
    }));

  it("does not begin what nobody wants any more", () =>
    run(function* () {
      const { kernel, engine, slots, sampler } = made();
      const gate = withResolvers<void>();
      kernel.gate = run(() => gate.operation);
      const first = yield* spawn(() => engine.next(slots[0]!, [1], sampler));
      yield* nextCycle();
      const second = yield* spawn(() => engine.next(slots[1]!, [2], sampler));
      yield* nextCycle();
      yield* second.halt();
      gate.resolve();
      yield* first;
      yield* engine.settled();
      expect(kernel.batches.flat().map(({ sequence }) => sequence)).toEqual([0]);
    }));

  it("knows what a sequence holds of work whose reader left in the middle", () =>
    run(function* () {
      const { kernel, engine, slots, sampler } = made();
      const gate = withResolvers<void>();
      kernel.gate = run(() => gate.operation);
      const reader = yield* spawn(() => engine.next(slots[0]!, [1, 2], sampler));
      yield* nextCycle();
      yield* reader.halt();
      expect(slots[0]!.tokens).toEqual([]);
      gate.resolve();
      yield* engine.settled();
      expect(slots[0]!.tokens).toEqual([1, 2]);
    }));

  it("waits for what is under way before it frees anything, and refuses all that waits", () =>
    run(function* () {
      const { kernel, engine, slots, sampler } = made();
      const gate = withResolvers<void>();
      kernel.gate = run(() => gate.operation);
      const under = yield* spawn(() => outcome(() => engine.next(slots[0]!, [1], sampler)));
      yield* nextCycle();
      const waiting = yield* spawn(() => outcome(() => engine.next(slots[1]!, [1], sampler)));
      yield* nextCycle();
      const closing = engine.close();
      expect(yield* waiting).toMatch(/closed while it was in use/);
      expect(kernel.closed).toBe(false);
      gate.resolve();
      yield* until(closing);
      expect(kernel.closed).toBe(true);
      expect(yield* under).toMatch(/closed/);
      expect(yield* outcome(() => engine.next(slots[2]!, [1], sampler))).toMatch(/closed/);
      yield* engine.settled();
    }));
});

/** Until what is on its way has begun. */
const nextCycle = (): Operation<void> =>
  until(new Promise((resolve) => setImmediate(() => setImmediate(resolve))));

function* outcome(work: () => Operation<number>): Operation<string> {
  try {
    return String(yield* work());
  } catch (error) {
    return (error as Error).message;
  }
}
