import type { Operation } from "effection";
import type { ZodType } from "zod";
import type { AgentResult, PoolResult } from "../values/agent.ts";
import type { AgentPoolOptions } from "../values/options.ts";
import { createPool } from "./create-pool.ts";
import { nestOf, recorded } from "./nest.ts";
import { openPool } from "./open-pool.ts";
import { parallel } from "./orchestrators.ts";

/**
 * Runs a pool of agents to its result.
 *
 * ```ts
 * const { agents } = yield* agentPool({ model, system, tools, terminal: reportTool, orchestrate: parallel(questions) });
 * ```
 *
 * Opened in another pool's orchestrator, or in a tool that one of its agents calls, it belongs to that pool's tree:
 * same run, limits, line and record; every guard, grant and deny of the tree applies. Options that cannot work throw
 * {@link ConfigurationError} before anything runs.
 */
export function* agentPool(options: AgentPoolOptions): Operation<PoolResult> {
  const nest = yield* nestOf(options);
  const observers = options.onEvent ? [options.onEvent] : [];
  const pool = createPool(yield* recorded(options, nest), nest, observers);
  return yield* openPool(pool, nest, options.orchestrate, observers);
}

/** A pool of one: its options, and its agent's task. */
export interface AgentOptions extends Omit<AgentPoolOptions, "orchestrate"> {
  readonly task: string;
  /** The result must fit this schema; it then is the parsed value. */
  readonly output?: ZodType;
}

/** Runs a pool of one to its agent's result. */
export function* useAgent({ task, output, ...options }: AgentOptions): Operation<AgentResult> {
  const { agents } = yield* agentPool({ ...options, orchestrate: parallel([{ task, output }]) });
  return agents[0]!;
}
