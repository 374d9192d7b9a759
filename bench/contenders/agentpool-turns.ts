import { parallel, useAgentPool } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { scoped, spawn } from "effection";
import { contender, type Open } from "./contender.ts";
import { type Boundary, cohortGuards, indexOf, librarySearch, scriptOf } from "./library.ts";
import { readAll } from "./read-all.ts";
import { stopwatch } from "./stopwatch.ts";
import { checkWork, system, type TurnsSettings, task, unitsOf } from "./turns.ts";

export interface PoolTurnsSettings extends TurnsSettings {
  readonly tool: Boundary;
  /** Tools that may run at once. Default: the pool's own. */
  readonly concurrentTools?: number;
}

/** A pool with three guards on its tool, each looking at the whole cohort, and its events read to the end. */
const open: Open<PoolTurnsSettings> = (settings) =>
  contender(function* () {
    const { agents, turns, concurrentTools } = settings;
    let calls = 0;
    const search = librarySearch(settings.tool, () => calls++);
    const model = scripted(({ key }) => scriptOf(indexOf(key), turns), { keep: false });
    const lap = stopwatch();
    const { answers, events } = yield* scoped(function* () {
      const pool = yield* useAgentPool({
        model,
        system,
        tools: [search],
        orchestrate: parallel(Array.from({ length: agents }, (_, agent) => task(agent))),
        guards: cohortGuards,
        budget: {
          maxTurns: turns + 1,
          maxToolCalls: turns,
          maxAgents: agents,
          ...(concurrentTools && { concurrentTools }),
        },
      });
      const reading = yield* spawn(() => readAll(pool.events));
      const result = yield* pool.result;
      return { answers: result.agents.map((agent) => agent.result), events: yield* reading };
    });
    const passed = lap();
    checkWork(settings, { answers, calls });
    return { units: unitsOf(settings), ...passed, figures: { events } };
  });
export default open;
