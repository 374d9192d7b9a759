import { type Operation, useScope } from "effection";
import { isWithin, type WindingReason } from "../decisions/life.ts";
import type { Pool } from "./pool-state.ts";
import { cancelAgent } from "./spawn-agent.ts";

/** Asks everyone in a pool to finish: parked calls are withdrawn, running ones end, agents report what they have. */
export function windDown(pool: Pool, reason: WindingReason): void {
  pool.life.winding ??= reason;
  pool.run.parking.withdraw(pool.life);
  // a pool that is paused ends too: what is left to do is to report
  pool.run.tools.resume();
  pool.run.generations.resume();
}

const SHARES = [0.5, 0.75, 0.9];

/** Keeps a run's wall clock: past `soft` it winds down, past `hard` every agent is ended. Returns how to stop it. */
export function* keepTime(pool: Pool): Operation<() => void> {
  const { clock, budget, emit, past } = pool.run;
  const { soft, hard } = budget.wallClock ?? {};
  const limit = hard ?? soft;
  if (limit === undefined) return () => {};
  const scope = yield* useScope();
  // a run that is taken up goes on with what was left
  const elapsed = past?.elapsed ?? 0;
  const start = clock.now() - elapsed;
  const timers = SHARES.filter((share) => share * limit > elapsed).map((share) =>
    clock.at(start + share * limit, () =>
      emit({ type: "budget:threshold", budget: "wallClock", share, used: share * limit, limit }),
    ),
  );
  if (soft !== undefined) timers.push(clock.at(start + soft, () => windDown(pool, "deadline")));
  if (hard !== undefined)
    timers.push(
      clock.at(start + hard, () => {
        emit({ type: "budget:exhausted", budget: "wallClock", limit: hard });
        windDown(pool, "deadline");
        scope.run(() => endAll(pool));
      }),
    );
  return () => {
    for (const cancel of timers) cancel();
  };
}

/** Ends every agent of the tree; those spawned from now on end at once, since the run winds down. */
function* endAll(pool: Pool): Operation<void> {
  const agents = [...pool.run.live].filter((agent) => isWithin(agent.life, pool.life));
  // agents of nested pools end with their callers
  for (const agent of agents) {
    agent.halted = "deadline";
    agent.isCancelled = true;
  }
  for (const agent of agents) yield* cancelAgent(agent, "deadline");
}
