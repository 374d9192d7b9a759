import { createContext, type Operation } from "effection";
import { ConfigurationError } from "../values/errors.ts";
import type { Journal } from "../values/journal.ts";
import type { AgentPoolOptions } from "../values/options.ts";
import { type Nest, NestContext } from "./call-execution.ts";
import { ExecutionContext } from "./tool-context.ts";

/** Where a pool that is opened here nests: in the call it was given, or the call or pool it is opened in. */
export function* nestOf({ parent }: AgentPoolOptions): Operation<Nest | undefined> {
  if (!parent) {
    const nest = yield* NestContext.get();
    return nest && { ...nest };
  }
  const execution = ExecutionContext.executionOf(parent);
  if (!execution)
    throw new ConfigurationError("parent: accepted is the context that a tool's execute was given.");
  return { pool: execution.call.agent.pool, execution };
}

/**
 * Where what runs here is recorded: pools that are given no journal of their own, and a harness's steps.
 *
 * ```ts
 * yield* JournalContext.set(journal);
 * yield* agentPool({ key: "plan", ... });
 * yield* agentPool({ key: "research", ... });
 * ```
 */
export const JournalContext = createContext<Journal>("agentpool:journal");

/** A top pool's options with the journal that it is recorded in. */
export function* recorded(options: AgentPoolOptions, nest: Nest | undefined): Operation<AgentPoolOptions> {
  if (nest && options.journal)
    throw new ConfigurationError("journal: a nested pool is on its run's record; give it to the top pool.");
  const journal = nest ? undefined : (options.journal ?? (yield* JournalContext.get()));
  return journal ? { ...options, journal } : options;
}
