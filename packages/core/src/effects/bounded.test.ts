import { type Operation, run, sleep, spawn, suspend, type Task } from "effection";
import { expect, it } from "vitest";
import { DeadlineError } from "../values/errors.ts";
import { Allowance } from "./allowance.ts";
import { bounded } from "./bounded.ts";
import { manualClock } from "./clock.ts";

const allowance = (ms = 100) => new Allowance(manualClock(), ms);

it("an operation that waits for nothing gives what it returns", async () => {
  const operation = (function* (): Operation<string> {
    return "done";
  })();
  expect(await run(() => bounded(operation, allowance()))).toBe("done");
});

it("an operation goes on from the effect it came to first", async () => {
  const seen: string[] = [];
  const value = await run(() =>
    bounded(
      (function* (): Operation<string> {
        seen.push("before");
        yield* sleep(0);
        seen.push("after");
        return "done";
      })(),
      allowance(),
    ),
  );
  expect(value).toBe("done");
  expect(seen).toEqual(["before", "after"]);
});

it.each([
  [
    "before it waits",
    function* (): Operation<void> {
      throw "a text";
    },
  ],
  [
    "after it waited",
    function* (): Operation<void> {
      yield* sleep(0);
      throw "a text";
    },
  ],
])("what an operation throws %s is an error", async (_, operation) => {
  await expect(run(() => bounded(operation(), allowance()))).rejects.toThrow(/a text/);
});

it("an operation past its allowance is halted, and its deadline is thrown", async () => {
  const clock = manualClock();
  let closed = false;
  const outcome = await run(function* () {
    const task = yield* spawn(function* () {
      try {
        yield* bounded(
          (function* () {
            try {
              yield* suspend();
            } finally {
              closed = true;
            }
          })(),
          new Allowance(clock, 100),
        );
      } catch (error) {
        return error;
      }
      return undefined;
    });
    yield* sleep(0);
    clock.advance(100);
    return yield* task;
  });
  expect(outcome).toBeInstanceOf(DeadlineError);
  expect(closed).toBe(true);
});

it.each([
  ["at once", function* (): Operation<void> {}],
  [
    "after a while",
    function* (): Operation<void> {
      yield* sleep(0);
    },
  ],
])(
  "an operation that is halted with its first step closes what it opened, %s, and nothing goes on",
  async (_, close) => {
    const seen: string[] = [];
    await run(function* () {
      let task: Task<void> | undefined;
      task = yield* spawn(function* () {
        yield* sleep(0); // by then the task is known
        yield* bounded(
          (function* () {
            try {
              void run(() => task!.halt());
              yield* sleep(0);
              seen.push("went on inside");
            } finally {
              yield* close();
              seen.push("closed");
            }
          })(),
          allowance(),
        );
        seen.push("went on outside");
      });
      try {
        yield* task;
      } catch {} // halted
    });
    expect(seen).toEqual(["closed"]);
  },
);
