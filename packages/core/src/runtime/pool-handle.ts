import { type Operation, resource, type Stream, spawn, withResolvers } from "effection";
import { isClosing, isWithin, windingOf } from "../decisions/life.ts";
import { unknownName } from "../decisions/names.ts";
import { reasonOf } from "../decisions/reason.ts";
import { toJson } from "../decisions/result.ts";
import { EventLog, streamOf } from "../effects/event-log.ts";
import type { PoolResult } from "../values/agent.ts";
import type { Approvals } from "../values/approval.ts";
import type { ClientCall } from "../values/client-call.ts";
import { AnswerError, ConfigurationError } from "../values/errors.ts";
import type { PoolEvent } from "../values/event.ts";
import type { Json } from "../values/json.ts";
import type { AgentPoolOptions } from "../values/options.ts";
import type { AgentState } from "./agent-state.ts";
import { createPool } from "./create-pool.ts";
import { nestOf, recorded } from "./nest.ts";
import { openPool } from "./open-pool.ts";
import type { Pool } from "./pool-state.ts";
import { cancelAgent } from "./spawn-agent.ts";
import { windDown } from "./wind-down.ts";

/** A running pool, to watch and to steer. */
export interface PoolHandle {
  readonly run: string;
  /** Everything that happens in the tree, in one order, from the start for the first who subscribes. */
  readonly events: Stream<PoolEvent, PoolResult | undefined>;
  /** The pool's result. Throws what the orchestrator threw. */
  readonly result: Operation<PoolResult>;
  /** Ends one agent now; its result says `cancelled`. False where it is over already, or came to its end all the same. */
  cancel(key: string): Operation<boolean>;
  /** Asks everyone to finish: parked calls are withdrawn, running ones end, agents report what they have. */
  windDown(): void;
  /** Lets what runs finish, and starts nothing more until {@link resume}. A pool that winds down is not held up. */
  pause(): void;
  resume(): void;
  /**
   * Puts a person's message into a running agent: it reads it before its next turn, which it gets if it has any left,
   * also where it is about to end. False where it is over.
   */
  steer(key: string, message: string): boolean;
  /** The calls of the whole tree that wait for people. */
  readonly approvals: Approvals;
  /** The calls of client tools that wait for their results. */
  clientCalls(): readonly ClientCall[];
  /**
   * Submits results of client calls, by call id. Every id must be one that waits, and every waiting call of the same
   * agents must be among them; else {@link AnswerError} is thrown and nothing is submitted.
   */
  submit(results: { readonly [callId: string]: unknown }): void;
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
    const observers = [(event: PoolEvent) => log.add(event), ...(options.onEvent ? [options.onEvent] : [])];
    const nest = yield* nestOf(options);
    const pool = createPool(yield* recorded(options, nest), nest, observers);
    const outcome = withResolvers<PoolResult>();
    yield* spawn(function* () {
      let result: PoolResult | undefined;
      try {
        result = yield* openPool(pool, nest, options.orchestrate, observers);
        outcome.resolve(result);
      } catch (error) {
        outcome.reject(error as Error);
      } finally {
        log.close(result);
      }
    });
    yield* provide(handleOf(pool, log, outcome.operation));
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
      const isEnded = yield* cancelAgent(find(pool, key, "cancel"));
      if (run.recorder) yield* run.recorder.settle();
      return isEnded;
    },
    windDown() {
      windDown(pool, "cancelled");
    },
    pause() {
      if (windingOf(pool.life)) return; // what is left to do is to report
      run.tools.pause();
      run.generations.pause();
    },
    resume() {
      run.tools.resume();
      run.generations.resume();
    },
    steer(key, message) {
      const agent = find(pool, key, "steer");
      if (agent.result || isClosing(agent.life)) return false;
      agent.inbox.push(message);
      run.emit({ type: "agent:steered", agent: key, message });
      // it may be long until the agent has anything to record
      run.recorder?.flushSoon();
      return true;
    },
    approvals: run.approvals,
    clientCalls: () => run.clients.list(),
    submit: (results) => submit(pool, results),
    inspect: () => ({
      agents: countStates(pool.agents),
      inLine: run.line.size,
      parked: run.parking.size,
      permits: { tools: run.tools.held, generations: run.generations.held },
    }),
  };
}

function find(pool: Pool, key: string, what: string): AgentState {
  const nested = [...pool.run.live].filter((agent) => isWithin(agent.life, pool.life));
  const known = new Map([...pool.agents, ...nested].map((agent) => [agent.key, agent]));
  const agent = known.get(key);
  if (agent) return agent;
  throw new ConfigurationError(`${what}: ${unknownName("agent", key, [...known.keys()])}`);
}

/** All or nothing: what is submitted is checked before any of it is. */
function submit({ run }: Pool, results: { readonly [callId: string]: unknown }): void {
  const entries = Object.entries(results).map(([id, result]) => {
    run.clients.check(id);
    return [id, submitted(id, result)] as const;
  });
  const open = run.clients.list();
  const agents = new Set(open.filter(({ id }) => Object.hasOwn(results, id)).map(({ agent }) => agent));
  const missing = open.filter(({ id, agent }) => agents.has(agent) && !Object.hasOwn(results, id));
  if (missing.length > 0)
    throw new AnswerError(
      "incomplete",
      `submit: results are missing for ${missing.map(({ id }) => id).join(", ")}.`,
    );
  for (const [id, result] of entries) run.clients.answer(id, result);
}

function submitted(id: string, result: unknown): Json {
  try {
    return toJson(result);
  } catch (error) {
    throw new AnswerError("malformed", `submit: the result of "${id}" is no JSON: ${reasonOf(error)}`);
  }
}

function countStates(agents: readonly AgentState[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { phase } of agents) if (phase !== "done") counts[phase] = (counts[phase] ?? 0) + 1;
  return counts;
}
