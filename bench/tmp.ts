import { run } from "effection";
import open from "./contenders/agentpool-journal.ts";

const s = { agents: 1000, turns: 10 };
await run(function* () {
  for (let i = 0; i < 4; i++)
    for (const journal of ["off", "on", "resume"] as const) {
      const c = yield* open({ ...s, journal });
      const r = yield* c.round();
      console.log(journal, Math.round(r.wallMs), "ms", Math.round(r.cpuMs), r.figures ?? "");
    }
});
