import type { AgentPoolOptions, PoolResult } from "@agentpool/core";
import { Winding } from "@agentpool/research";
import type { Operation } from "effection";

/** A question that was answered before, and the answer in words. */
export interface Earlier {
  readonly question: string;
  readonly answer: string;
}

/** Lets a run follow up on another: every pool has the earlier question and its answer on its spine. */
export class FollowUp extends Winding {
  readonly #earlier: Earlier;

  constructor(earlier: Earlier) {
    super();
    this.#earlier = earlier;
  }

  override run(options: AgentPoolOptions): Operation<PoolResult> {
    const { question, answer } = this.#earlier;
    return super.run({
      ...options,
      *orchestrate(pool) {
        yield* pool.extendSpine(question, answer);
        yield* options.orchestrate(pool);
      },
    });
  }
}
