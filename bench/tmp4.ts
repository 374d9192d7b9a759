import { mkdtempSync } from "node:fs";
import { agentPool, parallel } from "@agentpool/core";
import { openStore } from "@agentpool/journal";
import { scripted } from "@agentpool/models";
import { run, scoped, until } from "effection";
import { cohortGuards, indexOf, librarySearch, scriptOf } from "./contenders/library.ts";
import { system, task } from "./contenders/turns.ts";

const pool = (journal: any) =>
  agentPool({
    run: "b",
    ...(journal ? { journal } : {}),
    model: scripted(({ key }) => scriptOf(indexOf(key), 10), { keep: false }),
    system,
    tools: [librarySearch("async", () => {})],
    orchestrate: parallel(Array.from({ length: 1000 }, (_, a) => task(a))),
    guards: cohortGuards,
    budget: { maxTurns: 11, maxToolCalls: 10, maxAgents: 1000 },
  });
const nul = () => ({
  recorded: [],
  append() {},
  flush() {
    return undefined;
  },
});
const tick = () => {
  let p: any;
  return {
    recorded: [],
    append() {},
    flush() {
      return (p ??= new Promise<void>((r) =>
        setImmediate(() => {
          p = undefined;
          r();
        }),
      ));
    },
  };
};
const cpu = function* (name: string, body: () => any) {
  const t = process.cpuUsage(),
    w = performance.now();
  yield* body();
  const u = process.cpuUsage(t);
  console.log(
    name.padEnd(8),
    "cpu",
    Math.round((u.user + u.system) / 1000),
    "wall",
    Math.round(performance.now() - w),
  );
};
await run(function* () {
  for (let i = 0; i < 4; i++) {
    yield* cpu("off", () => pool(undefined));
    yield* cpu("null", () => pool(nul()));
    yield* cpu("tick", () => pool(tick()));
    yield* cpu("sqlite", () =>
      scoped(function* () {
        const s = yield* openStore(`sqlite:${mkdtempSync("/tmp/b-")}/r.db`);
        yield* pool(yield* s.journal("b"));
      }),
    );
  }
});
