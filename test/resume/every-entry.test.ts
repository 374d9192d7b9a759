import { delegate, type Model, type ToolLifecycleHooks } from "@agentpool/core";
import { run, until } from "effection";
import { describe, expect, it } from "vitest";
import { leisurely } from "../scenarios/leisurely.ts";
import { ask, asks, casting, instant, play, type RigOptions, report } from "../scenarios/support.ts";
import { recordViolations } from "./invariants.ts";
import { clockAfter, memoryJournal } from "./memory-journal.ts";
import { pool, shown } from "./support.ts";

/** A job with something of everything: forks of all kinds, a spine that grows, opinions at every moment. */
const orchestrate: RigOptions["orchestrate"] = function* (pool) {
  const first = yield* pool.spawn({ task: "begin", key: "first" });
  const begun = yield* pool.waitFor(first);
  yield* pool.extendSpine("What did the first find?", String(begun.result));
  const side = yield* pool.spawn({ task: "aside", key: "side" });
  const child = yield* pool.spawn({ task: "go on", key: "child", parent: first });
  yield* pool.waitFor(child);
  yield* pool.extendSpine("And its child?", "More.");
  const grandchild = yield* pool.spawn({ task: "and on", key: "grandchild", parent: child });
  const last = yield* pool.spawn({ task: "end", key: "last", budget: { maxTurns: 2 } });
  for (const agent of [side, grandchild, last]) yield* pool.waitFor(agent);
  // all of it is durable by now: there is nothing to wait for
  for (const agent of [first, child]) {
    yield* until(Promise.resolve());
    yield* pool.waitFor(agent);
  }
};

const script = {
  "agent/first": [{ reasoning: "Hm.", ...ask("find", { q: "bad" }) }, ask("find", { q: "1" }), report("one")],
  "agent/side": [
    asks(["find", { q: "2" }], ["find", { q: "no" }], ["nothing"], ["find", '{"q":']),
    { text: "It is", finish: "length" as const },
    report("aside"),
  ],
  "agent/child": [ask("find", { q: "1" }), ask("look", { q: "3" }), { text: "Enough?" }, report("child")],
  "agent/grandchild": [ask("delegate", { tasks: ["x", "y"] }), report("grandchild")],
  "agent/last": [ask("find", { q: "4" }), ask("find", { q: "5" }), report("stopped")],
  "agent/grandchild:1#0~0/0": [ask("find", { q: "6" }), report("helped")],
  "agent/grandchild:1#0~0/1": [report("idle")],
};

const hooks = (asked: string[]): ToolLifecycleHooks => ({
  name: "harness",
  onRoute: ({ tools }) => ({ type: "tools", names: tools.filter((name) => name !== "unused") }),
  beforeTurn: ({ agent, turn }) => {
    asked.push(`${agent.key} ${turn}`);
    return turn === 2 ? { type: "instruct", text: "Be brief." } : undefined;
  },
  rewrite: ({ call }) =>
    call.tool === "look" ? { type: "rewrite", tool: "find", args: { q: "3" }, mode: "replace" } : undefined,
  beforeDispatch: [
    {
      name: "judge",
      decide: ({ args }) => (args.q === "no" ? { type: "refuse", message: "No." } : undefined),
    },
    {
      name: "again",
      message: "read before",
      reject: ({ args, attended }) => attended().some(({ q }) => q === args.q),
    },
  ],
  onPropose: ({ calls }) =>
    calls.some(({ args }) => args.q === "bad")
      ? { type: "restart", reasoning: "Slowly." }
      : { type: "proceed", todo: "Say thanks." },
  afterAdmit: ({ call }) => ({ type: "followUp", message: `Noted ${call.id}.` }),
  onReturn: ({ exit }) => (exit === "text" ? { type: "reject", message: "Call report." } : undefined),
});

const job = () => {
  const asked: string[] = [];
  const model = casting(script);
  const tools = ["find", "look", "unused"].map((name) => instant(name, { idempotent: true }));
  const options = pool({ model, tools: [...tools, delegate()], hooks: [hooks(asked)], orchestrate });
  return { options, model, asked };
};

describe("a job with something of everything", () => {
  it.each([
    ["is written at once", false, (model: Model) => model],
    ["is written later, as by a store", true, (model: Model) => model],
    ["is of sessions that take their time", false, leisurely],
  ] as const)(
    "comes to the same end from each entry of its record, which %s, and its models are shown the same to the byte",
    (_, late, pace) =>
      run(function* () {
        const journal = memoryJournal([], { late });
        const whole = job();
        const { result } = yield* play({ ...whole.options, model: pace(whole.model), journal });
        expect(result.agents.map(({ exit }) => exit)).toEqual([...Array(4).fill("returned"), "max_turns"]);
        expect(recordViolations(journal.entries)).toEqual([]);
        const said = new Set(whole.model.requests.map(({ key, messages }) => `${key} ${shown(messages)}`));
        const expected = JSON.parse(JSON.stringify(result));

        for (let length = 0; length <= journal.entries.length; length++) {
          const prefix = journal.entries.slice(0, length);
          const again = memoryJournal(prefix, { late });
          const { options, model, asked } = job();
          const resumed = yield* play({
            ...options,
            model: pace(model),
            journal: again,
            clock: clockAfter(prefix),
          });
          const place = `from entry ${length} (${journal.entries[length]?.type})`;
          expect([place, JSON.parse(JSON.stringify(resumed.result))]).toEqual([place, expected]);
          expect([place, ...recordViolations(again.entries)]).toEqual([place]);
          for (const { key, messages } of model.requests)
            expect([place, said.has(`${key} ${shown(messages)}`)]).toEqual([place, true]);
          expect([place, asked.length]).toEqual([place, new Set(asked).size]);
        }
      }),
    120_000,
  );
});
