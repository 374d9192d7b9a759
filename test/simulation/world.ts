import type { ManualClock, PoolEvent, PoolHandle } from "@agentpool/core";
import type { ScriptedMoment } from "@agentpool/models";

/** A random cohort: what its agents ask depends on `seed` alone, how long things take on `lat`. */
export interface World {
  readonly seed: number;
  readonly lat: number;
  readonly agents: number;
  readonly turns: number;
  /** How many different things there are to ask for: few make many equal calls. */
  readonly keys: number;
  readonly fail: number;
  readonly retry: number;
  readonly hang: number;
  readonly delegate: number;
  /** Of what is asked for, how much needs a person; of those who ask, how many are never answered. */
  readonly approve: number;
  readonly never: number;
  /** How many steps are sent back, calls become others, and calls run elsewhere. */
  readonly restart: number;
  readonly rewrite: number;
  readonly client: number;
  /** How many agents end with a call, and not in words. */
  readonly close: number;
  /** How many of the tools do no harm twice: their intents are on record while they wait for a permit. */
  readonly idempotent: number;
  readonly guard: "keyed" | "predicate" | "async predicate" | "promised predicate";
  readonly scope: "lineage" | "cohort";
  readonly concurrentTools: number;
  readonly concurrentGenerations: number;
  readonly maxToolCalls: number;
  /** Tokens of the memory that all sessions share; 0: each has its own, and no end to it. */
  readonly memory: number;
}

/** What happened in a world, seen from outside the pool. */
export interface Witness {
  readonly clock: ManualClock;
  readonly events: PoolEvent[];
  /** Given once the pool is open: who answers for clients needs it. */
  handle: PoolHandle | undefined;
  readonly moments: readonly ScriptedMoment[];
  /** Timers of people and clients who have not answered yet. */
  answering: number;
  /** Tool bodies that run now, but for those that wait for a pool they opened; and the most there ever were. */
  bodies: number;
  mostBodies: number;
  /** Bodies entered and not left. */
  inside: number;
  /** Set when everything is told to stop: from then on nothing may start. */
  stopping: boolean;
  readonly late: string[];
  /** Executions of calls that end agents: call and attempt. */
  readonly closed: string[];
}
