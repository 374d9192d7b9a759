import { agentPool, parallel } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run } from "effection";
import { cohortGuards, indexOf, librarySearch, scriptOf } from "./contenders/library.ts";
import { system, task } from "./contenders/turns.ts";

await run(function* () {
  const types: Record<string, number> = {};
  let appended = 0,
    flushes = 0,
    empty = 0,
    groups = 0,
    last = 0;
  let bytes = 0;
  let p: Promise<void> | undefined;
  const sizes: number[] = [];
  const journal = {
    recorded: [],
    append(e: any) {
      appended++;
      types[e.type] = (types[e.type] ?? 0) + 1;
      bytes += JSON.stringify(e).length;
    },
    flush() {
      flushes++;
      if (appended === last && !p) {
        empty++;
        return undefined;
      }
      last = appended;
      p ??= new Promise<void>((r) =>
        setImmediate(() => {
          p = undefined;
          groups++;
          sizes.push(appended);
          r();
        }),
      );
      return p;
    },
  };
  yield* agentPool({
    run: "b",
    journal,
    model: scripted(({ key }) => scriptOf(indexOf(key), 10), { keep: false }),
    system,
    tools: [librarySearch("async", () => {})],
    orchestrate: parallel(Array.from({ length: 1000 }, (_, a) => task(a))),
    guards: cohortGuards,
    budget: { maxTurns: 11, maxToolCalls: 10, maxAgents: 1000 },
  });
  console.log({ appended, flushes, empty, groups, bytes, types });
  console.log("MB per call", bytes / 10000);
});
