import fc from "fast-check";
import { expect, test } from "vitest";
import { DerivedTables } from "../decisions/derived-tables.ts";
import { type Engine, type Statement, UnmetError } from "../engine/engine.ts";
import type { StoredEntry } from "../values/entry.ts";
import { LeaseError } from "../values/errors.ts";
import { RecordWriter } from "./record-writer.ts";

/** What somebody does with a writer. */
const acts = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ type: fc.constant("append" as const), count: fc.integer({ min: 1, max: 130 }) }),
    },
    { weight: 4, arbitrary: fc.record({ type: fc.constant("flush" as const), heeds: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant("breathe" as const) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("seal" as const) }) },
  ),
  { maxLength: 40 },
);

const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An engine that takes its time, keeps what it is given, and fails at one of its writes. */
function keeping(failsAt: number, how: "lost" | "full", pace: () => number) {
  const kept: number[] = [];
  const portions: number[] = [];
  let writes = 0;
  let inside = 0;
  const write = async (statements: readonly Statement[]): Promise<void> => {
    if (++inside > 1) throw new Error("two writes at once");
    for (let breaths = pace(); breaths > 0; breaths--) await breath();
    inside--;
    if (++writes === failsAt) throw how === "lost" ? new UnmetError(statements[0]!) : new Error("disk full");
    const [, first, , body] = statements[0]!.params;
    const entries = JSON.parse(String(body)) as { at: number }[];
    expect(first).toBe(kept.length);
    portions.push(entries.length);
    kept.push(...entries.map(({ at }) => at));
  };
  const engine: Engine = {
    name: "sqlite",
    write,
    all: async () => [],
    snapshot: async (read) => await read(engine),
    script: async () => {},
    watch: () => () => {},
    close: async () => {},
  };
  return { engine, kept, portions };
}

const writerOn = (engine: Engine): RecordWriter =>
  new RecordWriter({
    engine,
    lease: { run: "r1", owner: "me" },
    redact: (text) => text,
    now: () => 0,
    tables: new DerivedTables("r1"),
    length: 0,
  });

const entry = (at: number): StoredEntry => ({ type: "notice", run: "r1", at, message: "m" });

test("what is written is a prefix of what was appended; who flushed is told that it is there, or that it is not; it always ends", async () => {
  await fc.assert(
    fc.asyncProperty(
      acts,
      fc.integer({ min: 1, max: 12 }),
      fc.constantFrom("lost" as const, "full" as const),
      fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
      async (acts, failsAt, how, paces) => {
        const { engine, kept } = keeping(failsAt, how, () => paces.next().value!);
        const writer = writerOn(engine);
        const told: Promise<void>[] = [];
        let appended = 0;
        let failure: unknown;
        let sealed = false;
        let isHeeded = true; // by all who flush: who does not is not told
        for (const { type, ...act } of acts) {
          try {
            if (type === "breathe") await breath();
            if (type === "seal") {
              writer.seal();
              sealed = true;
            }
            if (type === "append" && "count" in act)
              for (let at = 0; at < act.count; at++) {
                writer.append(entry(appended));
                if (!sealed) appended++;
              }
            if (type !== "flush") continue;
            const due = appended;
            const written = writer.flush();
            if (written === undefined) expect(kept).toHaveLength(due);
            else if (!("heeds" in act && act.heeds)) isHeeded = false;
            else
              told.push(
                written.then(
                  () => expect(kept.length).toBeGreaterThanOrEqual(due),
                  (error: unknown) => {
                    expect(kept.length).toBeLessThan(due);
                    failure ??= error;
                  },
                ),
              );
          } catch (error) {
            if ((error as Error).name === "AssertionError") throw error;
            failure ??= error;
          }
        }
        await writer.close().catch((error: unknown) => {
          failure ??= error;
        });
        await Promise.all(told);
        expect(kept).toEqual(Array.from(kept, (_, at) => at));
        const isWhole = kept.length === appended;
        if (isHeeded || isWhole) expect(failure === undefined).toBe(isWhole);
        if (isWhole) return;
        expect(() => writer.append(entry(0))).toThrow(how === "lost" ? LeaseError : "disk full");
      },
    ),
    { numRuns: 300 },
  );
});

test("what is appended together and flushed together is written together, however much it is", async () => {
  const { engine, portions } = keeping(0, "full", () => 1);
  const writer = writerOn(engine);
  let at = 0;
  for (const count of [1, 63, 64, 255, 256, 257, 600]) {
    for (let added = 0; added < count; added++) writer.append(entry(at++));
    await writer.flush();
  }
  expect(portions).toEqual([1, 63, 64, 255, 256, 257, 600]);
});

test("who waits for the first of many goes on while the rest is written", async () => {
  const { engine, portions, kept } = keeping(0, "full", () => 1);
  const writer = writerOn(engine);
  const seen: number[] = [];
  const waiting: Promise<void>[] = [];
  for (let at = 0; at < 1_000; at++) {
    writer.append(entry(at));
    waiting.push(writer.flush()!.then(() => void seen.push(kept.length)));
  }
  await Promise.all(waiting);
  expect(portions).toEqual([64, 256, 256, 256, 168]);
  expect(seen[0]).toBe(64);
  expect(seen.at(-1)).toBe(1_000);
});

test("what was appended after the last flush is written when it closes", async () => {
  const { engine, kept } = keeping(0, "full", () => 2);
  const writer = writerOn(engine);
  writer.append(entry(0));
  const first = writer.flush();
  writer.append(entry(1));
  writer.seal();
  writer.append(entry(2));
  await writer.close();
  await first;
  expect(kept).toEqual([0, 1]);
});
