import { type Operation, run, spawn, type Task, until } from "effection";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JournalError } from "../values/errors.ts";
import type { Journal, JournalEntry } from "../values/journal.ts";
import { Recorder } from "./recorder.ts";

/** The ways in which a journal may promise. */
const answers = [
  /** It is durable at once. */
  "at once",
  /** So it is, and it says so with a promise that is over; or with one it gave before. */
  "over",
  "over again",
  /** With a promise of its own, which is kept later; or with the one that it has yet to keep. */
  "new",
  "same",
  /** With something that is no promise, and calls back before it returns from being kept. */
  "thenable",
] as const;

/** What happens to a record, from all sides. */
type Act =
  | { readonly type: "add" | "write" | "breathe" | "settle" | "listen" }
  | { readonly type: "come"; readonly rounds: number; readonly begins: "now" | "later" }
  | { readonly type: "halt"; readonly who: number };

const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ type: fc.constantFrom("add" as const, "settle", "listen") }) },
    { weight: 4, arbitrary: fc.record({ type: fc.constantFrom("write" as const, "breathe") }) },
    {
      weight: 5,
      arbitrary: fc.record({
        type: fc.constant("come" as const),
        rounds: fc.integer({ min: 1, max: 3 }),
        begins: fc.constantFrom("now" as const, "later"),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("halt" as const), who: fc.nat(20) }) },
  ),
  { maxLength: 40 },
);

/** Where a journal fails: at so many of its doings. */
const failures = fc.option(
  fc.record({
    at: fc.constantFrom("append" as const, "flush", "write"),
    after: fc.nat(12),
  }),
  { nil: undefined },
);

interface Promised {
  /** How many entries it covers. */
  due: number;
  readonly promise: PromiseLike<void>;
  keep(): void;
  fail(error: Error): void;
}

/** A journal that promises as it is told to, and keeps its promises when it is told to. */
function promising(
  answer: () => (typeof answers)[number],
  failure: { readonly at: string; readonly after: number } | undefined,
) {
  const open: Promised[] = [];
  const counts: Record<string, number> = {};
  let last: Promised | undefined;
  let length = 0;
  let durable = 0;
  let isDone = false;
  let hasFailed = false;
  const fails = (at: string): boolean => {
    counts[at] = (counts[at] ?? 0) + 1;
    const isNow = failure !== undefined && failure.at === at && counts[at] > failure.after;
    hasFailed ||= isNow;
    return isNow;
  };
  const promise = (how: "new" | "thenable"): PromiseLike<void> => {
    last = { due: length, ...(how === "new" ? deferred() : thenable()) };
    open.push(last);
    return last.promise;
  };
  const journal: Journal = {
    recorded: [],
    append() {
      if (fails("append")) throw new Error("no more");
      length++;
    },
    flush() {
      isDone = false;
      if (fails("flush")) throw new Error("no more");
      const how = answer();
      if (how === "new" || how === "thenable") return promise(how);
      if (how === "same") {
        const [next] = open.slice(-1);
        if (!next) return promise("new");
        next.due = length;
        return next.promise;
      }
      durable = length;
      if (how === "over again" && last && !open.includes(last)) return last.promise;
      if (how !== "at once") return Promise.resolve();
      isDone = true;
      return undefined;
    },
  };
  return {
    journal,
    get length() {
      return length;
    },
    get durable() {
      return durable;
    },
    /** Whether it said last that nothing is left to write. */
    get isDone() {
      return isDone && !hasFailed;
    },
    get hasFailed() {
      return hasFailed;
    },
    get isOpen() {
      return open.length > 0;
    },
    /** Writes what was promised first. */
    write(): void {
      const next = open.shift();
      if (!next) return;
      if (fails("write")) next.fail(new Error("disk full"));
      else {
        durable = Math.max(durable, next.due);
        next.keep();
      }
    },
  };
}

function deferred(): Omit<Promised, "due"> {
  let settle!: { keep(): void; fail(error: Error): void };
  const promise = new Promise<void>((keep, fail) => {
    settle = { keep, fail };
  });
  return { promise, ...settle };
}

function thenable(): Omit<Promised, "due"> {
  const { promise, keep, fail } = deferred();
  const waiting: (() => void)[] = [];
  let isKept = false;
  const like = {
    // biome-ignore lint/suspicious/noThenProperty: that is what it is about
    then(kept: () => void, failed: (error: unknown) => void): void {
      if (isKept) kept();
      else waiting.push(kept);
      promise.then(() => {}, failed);
    },
  };
  return {
    promise: like as PromiseLike<void>,
    keep() {
      isKept = true;
      keep();
      for (const wake of waiting) wake();
    },
    fail,
  };
}

const breath: Operation<void> = {
  [Symbol.iterator]: () => until(new Promise<void>((resolve) => setImmediate(resolve)))[Symbol.iterator](),
};

const entry = (): JournalEntry => ({ type: "notice", run: "r", at: 0, message: "m" });

/** Promises' rejections that nobody handled while something ran. */
async function strays(body: () => PromiseLike<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", (reason) => found.push(reason));
  try {
    await body();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const listener of others) process.on("unhandledRejection", listener);
  }
  return found;
}

describe("who waits for a record", () => {
  it("goes on once what was added before is durable, never before it, and never after a failure, of which everybody is told", async () => {
    const left = await strays(() =>
      fc.assert(
        fc.asyncProperty(
          acts,
          fc.infiniteStream(fc.constantFrom(...answers)),
          failures,
          (acts, stream, failure) =>
            run(() =>
              play(
                acts,
                promising(() => stream.next().value, failure),
              ),
            ),
        ),
        { numRuns: Number(process.env.AGENTPOOL_WORLDS ?? 400) },
      ),
    );
    expect(left).toEqual([]);
  }, 60_000);
});

function* play(acts: readonly Act[], store: ReturnType<typeof promising>): Operation<void> {
  const recorder = Recorder.of(store.journal);
  const told: JournalError[] = [];
  let listening = 0;
  const listen = (): void => {
    listening++;
    recorder.onFailure((error) => told.push(error));
  };
  const waiting: Task<void>[] = [];
  const settling: Task<void>[] = [];
  let left = 0;

  function* wait({ rounds, begins }: Extract<Act, { type: "come" }>): Operation<void> {
    left++;
    try {
      for (let round = 0; round < rounds; round++) {
        recorder.add(entry());
        const due = store.length;
        const durable = recorder.flush();
        if (store.isDone) expect(durable).toBeUndefined();
        if (durable && begins === "later") yield* breath;
        if (durable) yield* durable;
        expect(store.durable).toBeGreaterThanOrEqual(due);
        expect(told).toEqual([]);
      }
    } finally {
      left--;
    }
  }

  function* settle(): Operation<void> {
    const due = store.length;
    try {
      yield* recorder.settle();
      expect(store.durable).toBeGreaterThanOrEqual(due);
    } catch (error) {
      expect(error).toBe(told[0]);
    }
  }

  listen();
  for (const act of acts)
    switch (act.type) {
      case "add":
        recorder.add(entry());
        break;
      case "write":
        store.write();
        break;
      case "breathe":
        yield* breath;
        break;
      case "listen":
        listen();
        break;
      case "come":
        waiting.push(yield* spawn(() => wait(act)));
        break;
      case "settle":
        settling.push(yield* spawn(settle));
        break;
      case "halt": {
        const task = waiting[act.who % waiting.length];
        if (task) yield* task.halt();
      }
    }

  // everything is written, also what they come with who go on
  for (let idle = 0; idle < 8; idle = store.isOpen ? 0 : idle + 1) {
    store.write();
    yield* breath;
  }
  for (const task of settling) yield* task;
  if (!store.hasFailed) {
    expect(left).toBe(0);
    expect(told).toEqual([]);
  } else {
    expect(told).toEqual(Array(listening).fill(told[0]));
    expect(told[0]).toBeInstanceOf(JournalError);
    expect(recorder.flushSoon()).toBeDefined();
  }
  for (const task of waiting) yield* task.halt();
  expect(left).toBe(0);
}
