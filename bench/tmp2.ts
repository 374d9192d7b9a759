import { run } from "effection";
import open from "./contenders/agentpool-journal.ts";

await run(function* () {
  for (let i = 0; i < 4; i++) {
    const c = yield* open({ agents: 1000, turns: 10, journal: "on" });
    const r = yield* c.round();
    console.log(Math.round(r.cpuMs));
  }
});
