import type { Operation } from "effection";
import { ConfigurationError } from "../values/errors.ts";
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
