import type { Happening, PoolEvent } from "../values/event.ts";
import type { Noted } from "../values/journal.ts";
import { type Origin, ReplayedAgent } from "./replayed-agent.ts";

type Spawned = Extract<PoolEvent, { type: "agent:spawned" }>;
type Forked = Extract<Noted, { type: "record:forked" }>;

/** The agents of a replay, those among them that would not have been, and the calls that opened their pools. */
export class ReplayedAgents {
  readonly #emit: (event: Happening) => void;
  readonly #agents = new Map<string, ReplayedAgent>();
  readonly #callers = new Map<string, string>();
  readonly #gone = new Set<string>();

  /** `emit` is told what guards that are asked on an agent's behalf leave behind. */
  constructor(emit: (event: Happening) => void) {
    this.#emit = emit;
  }

  of(agent: string | undefined): ReplayedAgent | undefined {
    return agent === undefined ? undefined : this.#agents.get(agent);
  }

  /** Whether what started it is kept from running here. */
  isGone(agent: string | undefined): boolean {
    return agent !== undefined && this.#gone.has(agent);
  }

  open({ pool, call }: Extract<PoolEvent, { type: "pool:opened" }>): void {
    if (call !== undefined) this.#callers.set(pool, call);
  }

  /** The call that opened a pool; undefined: none did. */
  callerOf(pool: string): string | undefined {
    return this.#callers.get(pool);
  }

  spawn(spawned: Spawned, caller: Origin["caller"], isGone: boolean): void {
    const { agent, parent } = spawned;
    if (isGone || this.isGone(parent)) this.#gone.add(agent);
    this.#agents.set(agent, new ReplayedAgent(spawned, { parent: this.of(parent), caller }, this.#emit));
  }

  /** Starts with what its parent had read here when it had read so much then. */
  fork({ agent, parent: place }: Forked): void {
    const forked = this.of(agent);
    const parent = this.of(forked?.view.parent);
    if (place && parent) forked?.forkFrom(parent, place.reads);
  }
}
