import type { PoolEvent } from "@agentpool/core";

/**
 * Whether every agent of a run that is not over waits for a person: then nothing happens until somebody decides. An
 * agent whose call runs agents of its own waits where they do.
 */
export class EverybodyWaits {
  readonly #live = new Map<string, { readonly pool: string; waits: boolean }>();
  /** The agents whose calls opened pools, by pool. */
  readonly #callers = new Map<string, string>();

  /** Takes note of an event; says whether everybody waits now. */
  observe(event: PoolEvent): boolean {
    switch (event.type) {
      case "pool:opened":
        if (event.call !== undefined) this.#callers.set(event.pool, event.call.replace(/:[^:]*$/, ""));
        break;
      case "agent:spawned":
        this.#live.set(event.agent, { pool: event.pool, waits: false });
        break;
      case "agent:state": {
        const agent = this.#live.get(event.agent);
        if (agent) agent.waits = event.state === "parked" && event.reason === "approval";
        break;
      }
      case "agent:ended":
        this.#live.delete(event.agent);
        break;
    }
    return this.now;
  }

  get now(): boolean {
    let waiting = 0;
    for (const [key, { waits }] of this.#live) {
      if (waits) waiting++;
      else if (!this.#hasAgents(key)) return false;
    }
    return waiting > 0;
  }

  #hasAgents(key: string): boolean {
    for (const { pool } of this.#live.values()) if (this.#callers.get(pool) === key) return true;
    return false;
  }
}
