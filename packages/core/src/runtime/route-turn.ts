import type { Operation } from "effection";
import { readAnswer } from "../decisions/answers.ts";
import type { RouteAnswer } from "../values/hooks.ts";
import type { AgentState } from "./agent-state.ts";
import { askHooks } from "./ask-hooks.ts";
import { nextTurnOf } from "./recall-agent.ts";

/**
 * Which tools does this turn see? Those the first hook names that the agent has, and always the terminal one. A hook
 * may name all it would show: an agent whose task has fewer of the pool's tools sees fewer.
 */
export function* routeTurn(agent: AgentState): Operation<void> {
  const { pool, toolNames, attempt } = agent;
  const known = nextTurnOf(agent)?.names;
  if (known) {
    agent.visible = known;
    return;
  }
  const answer = yield* askHooks(pool.routes, {
    agent,
    moment: "onRoute",
    input: () => ({ agent: agent.view, run: pool.run.id, turn: agent.turns + 1, tools: [...toolNames] }),
    read: (given) =>
      readAnswer<RouteAnswer>(given, {
        tools: ({ names }) => Array.isArray(names) && names.every((name) => pool.toolNames.has(name)),
      }),
  });
  agent.visible = answer
    ? toolNames.filter((name) => answer.names.includes(name) || name === pool.terminal?.name)
    : toolNames;
  if (pool.run.recorder)
    pool.run.note({
      type: "record:routed",
      agent: agent.key,
      turn: agent.turns + 1,
      attempt,
      names: agent.visible,
    });
}
