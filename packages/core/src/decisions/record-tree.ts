import type { RecordedAgent, RecordedTree } from "../values/recorded.ts";
import { addUsage, noUsage, type Usage } from "../values/usage.ts";

/** A tree of pools of which nothing is on record yet. */
export const newTree = (): RecordedTree => ({
  totals: { agents: 0, turns: 0, toolCalls: 0, attended: 0, refusals: 0, parks: 0, usage: noUsage },
  spent: { tokens: 0, cost: 0 },
  longestTurn: 0,
  retries: 0,
  elapsed: 0,
  reads: [],
  agents: new Set(),
  events: [],
});

/** An agent, or one of its calls, began to wait. */
export function countPark(agent: RecordedAgent, tree: RecordedTree): void {
  agent.parks++;
  tree.totals.parks++;
}

/** A generation for an agent used so much, at so many US dollars. */
export function countUsage(agent: RecordedAgent, tree: RecordedTree, usage: Usage, cost = 0): void {
  agent.usage = addUsage(agent.usage, usage);
  tree.totals.usage = addUsage(tree.totals.usage, usage);
  tree.spent.tokens += usage.input + usage.output;
  tree.spent.cost += cost;
}
