import type { Happening, PoolEvent } from "../values/event.ts";
import type { Noted } from "../values/journal.ts";
import type { ReplayedStop } from "./fate.ts";
import { type Origin, ReplayedAgent } from "./replayed-agent.ts";

type Spawned = Extract<PoolEvent, { type: "agent:spawned" }>;
type Forked = Extract<Noted, { type: "record:forked" }>;

/** The agents of a replay, and what opened their pools. */
export class ReplayedAgents {
  readonly #emit: (event: Happening) => void;
  readonly #agents = new Map<string, ReplayedAgent>();
  readonly #callers = new Map<string, string>();
  /** Pools whose turns their program limits itself. */
  readonly #own: Set<string>;

  /** `emit` is told what guards that are asked on an agent's behalf leave behind. */
  constructor(emit: (event: Happening) => void, ownTurns: readonly string[] = []) {
    this.#emit = emit;
    this.#own = new Set(ownTurns);
  }

  of(agent: string | undefined): ReplayedAgent | undefined {
    return agent === undefined ? undefined : this.#agents.get(agent);
  }

  open({ pool, within, call }: Extract<PoolEvent, { type: "pool:opened" }>): void {
    if (call !== undefined) this.#callers.set(pool, call);
    if (within !== undefined && this.#own.has(within)) this.#own.add(pool);
  }

  /** The call that opened a pool; undefined: none did. */
  callerOf(pool: string): string | undefined {
    return this.#callers.get(pool);
  }

  /** `stopped`: why it would not have been. */
  spawn(spawned: Spawned, caller: Origin["caller"], stopped: ReplayedStop | undefined): void {
    const parent = this.of(spawned.parent);
    const agent = new ReplayedAgent(spawned, { parent, caller }, this.#emit);
    agent.stopped = stopped;
    agent.ownsTurns = this.#own.has(spawned.pool);
    this.#agents.set(spawned.agent, agent);
  }

  /** Starts with what its parent had read here when it had read so much then. */
  fork({ agent, parent: place }: Forked): void {
    const forked = this.of(agent);
    const parent = this.of(forked?.view.parent);
    if (place && parent) forked?.forkFrom(parent, place.reads);
  }
}
