import { expect, test } from "vitest";
import type { StoredEntry } from "../values/entry.ts";
import { ForkError } from "../values/errors.ts";
import { forkRecord } from "./fork-record.ts";

let at = 0;
const entry = (happening: object) => ({ run: "old", at: at++, ...happening }) as StoredEntry;
const turn = (agent: string, number: number) => [
  entry({ type: "turn:started", agent, turn: number, forced: false }),
  entry({ type: "turn:completed", agent, turn: number, result: {}, tokens: 0 }),
];
const call = (type: string, agent: string, id: string) => entry({ type, agent, call: id, tool: "read" });

const record: readonly StoredEntry[] = [
  entry({ type: "run:started", question: "Why?", settings: {} }),
  entry({ type: "agent:spawned", agent: "a/0", task: "", depth: 0, pool: "a" }),
  entry({ type: "agent:spawned", agent: "a/1", task: "", depth: 0, pool: "a" }),
  ...turn("a/0", 1),
  ...turn("a/1", 1),
  call("call:dispatched", "a/1", "a/1:1#0"),
  entry({ type: "approval:requested", agent: "a/0", call: "a/0:1#0", approval: { id: "open" } }),
  ...turn("a/0", 2),
  call("call:settled", "a/1", "a/1:1#0"),
  call("call:admitted", "a/1", "a/1:1#0"),
  entry({ type: "agent:ended", agent: "a/0", result: {} }),
  entry({ type: "run:ended", status: "completed" }),
];

const options = { run: "new", agent: "a/0", turn: 1, question: "Why?", settings: { model: "b" }, now: 99 };

test("a fork has everything up to the turn as its own, with its origin, and nothing after it", () => {
  const forked = forkRecord(record, options);
  expect(new Set(forked.map(({ run }) => run))).toEqual(new Set(["new"]));
  expect(forked[0]).toMatchObject({
    type: "run:started",
    settings: { model: "b" },
    origin: { run: "old", kind: "fork", agent: "a/0", turn: 1 },
  });
  expect(forked.filter(({ type }) => type === "turn:completed")).toHaveLength(2);
  expect(forked.some(({ type }) => type === "agent:ended" || type === "run:ended")).toBe(false);
});

test("a call that was on its way then is not made again: its outcome is known", () => {
  const forked = forkRecord(record, options);
  expect(forked.at(-1)).toMatchObject({ type: "call:settled", call: "a/1:1#0" });
});

test("a terminal call that was on its way then does not run again: what it came to is known, and its return is asked about anew", () => {
  const end = { agent: "a/1", call: "a/1:1#0" };
  const outcome = { type: "ok", value: "out" };
  const forked = forkRecord(
    [
      ...record.slice(0, 7),
      entry({ type: "record:executing", ...end, identity: "local:publish", args: {}, attempt: 0 }),
      ...turn("a/0", 2),
      entry({ type: "record:executed", ...end, outcome }),
      entry({
        type: "record:return",
        agent: "a/1",
        turn: 1,
        attempt: 0,
        verdict: { type: "ended", exit: "returned" },
      }),
      entry({ type: "call:settled", ...end, tool: "publish", outcome }),
    ],
    options,
  );
  expect(forked.at(-1)).toMatchObject({ type: "record:executed", call: "a/1:1#0" });
  expect(forked.some(({ type }) => type === "call:settled" || type === "record:return")).toBe(false);
});

test("a question to a person that was open then is asked anew", () => {
  expect(forkRecord(record, options).some(({ type }) => type === "approval:requested")).toBe(false);
});

test("a message is the last thing that the agent hears before it goes on", () => {
  const forked = forkRecord(record, { ...options, turn: 0, message: "Otherwise." });
  expect(forked.at(-1)).toEqual({
    type: "agent:steered",
    run: "new",
    at: 99,
    agent: "a/0",
    message: "Otherwise.",
  });
  expect(forked.some((one) => one.type === "turn:completed" && one.agent === "a/0")).toBe(false);
});

test("a point that is not on record is named, with those that are", () => {
  expect(() => forkRecord(record, { ...options, agent: "a/7" })).toThrow(ForkError);
  expect(() => forkRecord(record, { ...options, agent: "a/7" })).toThrow("it has a/0, a/1");
  expect(() => forkRecord(record, { ...options, turn: 3 })).toThrow(
    "it has 1 to 2, and 0 is before the first",
  );
});
