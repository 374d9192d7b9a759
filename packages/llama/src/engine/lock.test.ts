import { type Operation, run, spawn, until, withResolvers } from "effection";
import { expect, it } from "vitest";
import { Lock } from "./lock.ts";

const turn = (): Operation<void> => until(new Promise((resolve) => setImmediate(resolve)));

it("a lock lets one in at a time, in order, and one that fails or is halted lets the next in", () =>
  run(function* () {
    const lock = new Lock();
    const open = withResolvers<void>();
    const log: string[] = [];
    const holding = (name: string, body: () => Operation<void>) =>
      spawn(() =>
        lock.hold(function* () {
          log.push(name);
          yield* body();
        }),
      );
    const first = yield* holding("first", () => open.operation);
    const halted = yield* holding("never", () => open.operation);
    const last = yield* holding("last", function* () {});
    yield* turn();
    expect(log).toEqual(["first"]);
    yield* halted.halt();
    open.resolve();
    yield* first;
    yield* last;
    expect(log).toEqual(["first", "last"]);
    expect(
      yield* lock.hold(function* () {
        return 1;
      }),
    ).toBe(1);
  }));

it("one that is halted while it is in lets the next in", () =>
  run(function* () {
    const lock = new Lock();
    const never = withResolvers<void>();
    const inside = yield* spawn(() => lock.hold(() => never.operation));
    const next = yield* spawn(() =>
      lock.hold(function* () {
        return "in";
      }),
    );
    yield* turn();
    yield* inside.halt();
    expect(yield* next).toBe("in");
  }));
