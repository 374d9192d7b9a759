import { type Operation, run, spawn } from "effection";
import { expect, it } from "vitest";
import { leisurely } from "../scenarios/leisurely.ts";
import { ask, casting, instant, play, type RigOptions, report } from "../scenarios/support.ts";
import { clockAfter, memoryJournal } from "./memory-journal.ts";
import { pool, shown } from "./support.ts";

/** One agent, and then several that fork from it at the same time. */
const orchestrate: RigOptions["orchestrate"] = function* (pool): Operation<void> {
  const first = yield* pool.spawn({ task: "begin", key: "first" });
  yield* pool.waitFor(first);
  const tasks = [];
  for (const key of ["a", "b", "c"])
    tasks.push(
      yield* spawn(function* () {
        yield* pool.waitFor(yield* pool.spawn({ task: key, key, parent: first }));
      }),
    );
  for (const task of tasks) yield* task;
};

const job = () => {
  const model = casting({
    "agent/first": [ask("find", { q: "1" }), report("one")],
    ...Object.fromEntries(
      ["a", "b", "c"].map((key) => [`agent/${key}`, [ask("find", { q: key }), report(key)]]),
    ),
  });
  const options = pool({
    model: leisurely(model),
    tools: [instant("find", { idempotent: true })],
    orchestrate,
  });
  return { model, options };
};

it("agents that fork at once from one that is over find its conversation as it was, from every entry of the record", () =>
  run(function* () {
    const journal = memoryJournal();
    const whole = job();
    const { result } = yield* play({ ...whole.options, journal });
    const said = new Set(whole.model.requests.map(({ key, messages }) => `${key} ${shown(messages)}`));
    for (let length = 0; length <= journal.entries.length; length++) {
      const prefix = journal.entries.slice(0, length);
      const { options, model } = job();
      const again = yield* play({ ...options, journal: memoryJournal(prefix), clock: clockAfter(prefix) });
      expect([length, again.result.agents]).toEqual([length, result.agents]);
      for (const { key, messages } of model.requests)
        expect([length, said.has(`${key} ${shown(messages)}`)]).toEqual([length, true]);
    }
  }));
