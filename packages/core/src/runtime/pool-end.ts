import { isClosing } from "../decisions/life.ts";
import { recordedTools } from "../decisions/recorded-tools.ts";
import type { PoolResult } from "../values/agent.ts";
import type { AgentState } from "./agent-state.ts";
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

/** Whether a pool in a call is over for good: somebody ended an agent it works for, or the call is over and its agent not. */
export function isEndedAbove({ caller }: Pool): boolean {
  if (!caller) return false;
  for (let agent: AgentState | undefined = caller; agent; agent = agent.pool.caller)
    if (agent.isCancelled) return true;
  return !isClosing(caller.life);
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
    if (this.#state !== "open") return;
    const tell = isEndedAbove(this.#pool) ? run.emit : run.announce;
    tell({ type: "pool:closed", pool: key, result: undefined });
  }
}
