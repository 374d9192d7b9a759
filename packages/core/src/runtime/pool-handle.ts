import { type Operation, resource, type Stream, spawn, withResolvers } from "effection";
import { unknownName } from "../decisions/names.ts";
import { EventLog, streamOf } from "../effects/event-log.ts";
import type { PoolResult } from "../values/agent.ts";
import { ConfigurationError } from "../values/errors.ts";
import type { PoolEvent } from "../values/event.ts";
import type { AgentPoolOptions } from "../values/options.ts";
import type { AgentState } from "./agent-state.ts";
import { nestOf } from "./nest.ts";
import { openPool } from "./open-pool.ts";
import { createPool, type Pool } from "./pool-state.ts";
import { cancelAgent } from "./spawn-agent.ts";

/** A running pool, to watch and to steer. */
export interface PoolHandle {
  readonly run: string;
  /** Everything that happens in the tree, in one order, from the start for the first who subscribes. */
  readonly events: Stream<PoolEvent, PoolResult | undefined>;
  /** The pool's result. Throws what the orchestrator threw. */
  readonly result: Operation<PoolResult>;
  /** Ends one agent now; its result says `cancelled`. False where it is over already. */
  cancel(key: string): Operation<boolean>;
  /** Asks everyone to finish: parked calls are withdrawn, running ones end, agents report what they have. */
  windDown(): void;
  /** Lets what runs finish, and starts nothing more until {@link resume}. */
  pause(): void;
  resume(): void;
  /** What is going on now. */
  inspect(): Occupancy;
}

export interface Occupancy {
  /** Agents that are not over, by state. */
  readonly agents: { readonly [state: string]: number };
  readonly inLine: number;
  readonly parked: number;
  readonly permits: { readonly tools: number; readonly generations: number };
}

/** Opens a pool as a resource: it runs while you watch it, and ends with the scope it was opened in. */
export function useAgentPool(options: AgentPoolOptions): Operation<PoolHandle> {
  return resource(function* (provide) {
    const log = new EventLog<PoolEvent, PoolResult | undefined>();
    const observers = new Set([(event: PoolEvent) => log.add(event)]);
    if (options.onEvent) observers.add(options.onEvent);
    const nest = yield* nestOf(options);
    const pool = createPool(options, nest, observers);
    if (nest) for (const observe of observers) pool.run.observers.add(observe);
    const outcome = withResolvers<PoolResult>();
    yield* spawn(function* () {
      try {
        const result = yield* openPool(pool, nest, options.orchestrate);
        outcome.resolve(result);
        log.close(result);
      } catch (error) {
        outcome.reject(error as Error);
        log.close(undefined);
      }
    });
    try {
      yield* provide(handleOf(pool, log, outcome.operation));
    } finally {
      for (const observe of observers) pool.run.observers.delete(observe);
    }
  });
}

function handleOf(
  pool: Pool,
  log: EventLog<PoolEvent, PoolResult | undefined>,
  result: Operation<PoolResult>,
): PoolHandle {
  const { run } = pool;
  return {
    run: run.id,
    events: streamOf(log),
    result,
    *cancel(key) {
      const agent = pool.agents.find((candidate) => candidate.key === key);
      if (!agent)
        throw new ConfigurationError(
          `cancel: ${unknownName(
            "agent",
            key,
            pool.agents.map((known) => known.key),
          )}`,
        );
      return yield* cancelAgent(agent);
    },
    windDown() {
      pool.life.winding = true;
      run.parking.withdraw(pool.life);
    },
    pause() {
      run.tools.pause();
      run.generations.pause();
    },
    resume() {
      run.tools.resume();
      run.generations.resume();
    },
    inspect: () => ({
      agents: countStates(pool.agents),
      inLine: run.line.size,
      parked: run.parking.size,
      permits: { tools: run.tools.held, generations: run.generations.held },
    }),
  };
}

function countStates(agents: readonly AgentState[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { phase } of agents) if (phase !== "done") counts[phase] = (counts[phase] ?? 0) + 1;
  return counts;
}
