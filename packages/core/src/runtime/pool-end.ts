import { recordedTools } from "../decisions/recorded-tools.ts";
import type { PoolResult } from "../values/agent.ts";
import type { Pool } from "./pool-state.ts";

/** A pool is there: its agents can fork. One that is taken up was announced before. */
export function announceOpen(pool: Pool): void {
  const { run, key, past, within, call } = pool;
  if (past) return;
  run.emit({
    type: "pool:opened",
    pool: key,
    model: pool.model.id,
    tools: [...pool.tools.keys()],
    ...(within === undefined ? {} : { within }),
    ...(call === undefined ? {} : { call }),
  });
  if (run.recorder) run.note({ type: "record:pool", pool: key, tools: recordedTools(pool.tools) });
}

/** How a pool ended. Its end is on record where it came by itself: one that is halted can be taken up. */
export class PoolEnd {
  readonly #pool: Pool;
  #state: "open" | "failed" | "closed" = "open";

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  closed(result: PoolResult): void {
    this.#state = "closed";
    const { run, key, past } = this.#pool;
    if (!past?.closed) run.emit({ type: "pool:closed", pool: key, result });
  }

  failed(): void {
    if (this.#state === "open") this.#state = "failed";
  }

  /** Whatever happened, it is left now. */
  left(): void {
    const { run, key } = this.#pool;
    if (this.#state === "failed") run.emit({ type: "pool:closed", pool: key, result: undefined });
    if (this.#state === "open") run.announce({ type: "pool:closed", pool: key, result: undefined });
  }
}
