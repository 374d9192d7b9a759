import { dedup, defineTool, type GuardOverrides, type Tool } from "@agentpool/core";
import type { Script } from "@agentpool/models";
import type { Operation } from "effection";
import { answer, queryOf, tool } from "./turns.ts";

/** What the tool's `execute` returns: a promise, or an operation. */
export type Boundary = "async" | "operation";

const guards = [
  dedup("query_dedup", ({ q }) => q),
  dedup("letters_dedup", ({ q }) => String(q).toLowerCase()),
  dedup("call_dedup", (args) => args),
];

/** All three look at what anyone in the cohort has read. */
export const cohortGuards: GuardOverrides = Object.fromEntries(
  guards.map(({ name }) => [name, { scope: "cohort" } as const]),
);

/** The tool of the work, with three guards on it; looking twice does no harm. `called` is told of every call. */
export function librarySearch(boundary: Boundary, called: () => void, idempotent = true): Tool {
  const { name, description, parameters } = tool;
  const hooks = { beforeDispatch: guards };
  if (boundary === "async")
    return defineTool({
      name,
      description,
      parameters,
      hooks,
      idempotent,
      async execute(args) {
        called();
        return tool.find(args);
      },
    });
  return defineTool({
    name,
    description,
    parameters,
    hooks,
    idempotent,
    *execute(args): Operation<unknown> {
      called();
      return tool.find(args);
    },
  });
}

/** What the model says to the agent of a number: a call in each turn, then the answer. */
export const scriptOf =
  (agent: number, turns: number): Script =>
  ({ turn }) =>
    turn <= turns ? { calls: [{ tool: tool.name, args: { q: queryOf(agent, turn) } }] } : { text: answer };

/** The number of a pool's agent, from its key. */
export const indexOf = (key: string): number => Number(key.slice(key.lastIndexOf("/") + 1));
