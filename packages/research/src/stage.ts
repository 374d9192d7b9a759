import { type AgentPoolOptions, type PoolHandle, type PoolResult, useAgentPool } from "@agentpool/core";
import { type Operation, scoped } from "effection";

/** Lets whoever watches a job bring it to an end: the pool that runs now winds down, no further one is opened. */
export class Winding {
  #requested = false;
  #pool: PoolHandle | undefined;

  get requested(): boolean {
    return this.#requested;
  }

  windDown(): void {
    this.#requested = true;
    this.#pool?.windDown();
  }

  /** Runs a pool that winds down when the job does. */
  *run(options: AgentPoolOptions): Operation<PoolResult> {
    const winding = this;
    return yield* scoped(function* () {
      const pool = yield* useAgentPool(options);
      winding.#pool = pool;
      if (winding.#requested) pool.windDown();
      try {
        return yield* pool.result;
      } finally {
        winding.#pool = undefined;
      }
    });
  }
}
