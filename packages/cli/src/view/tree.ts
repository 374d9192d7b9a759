import type { AgentRow } from "./view-state.ts";

/** An agent's place in the tree: how deep it is, and whether it is the last child of its parent. */
export interface Place {
  readonly row: AgentRow;
  /** The lines of the tree before its name: `│ └ `. */
  readonly lead: string;
}

/**
 * The agent that this one was forked from, or whose call it runs under: the key of a nested agent begins with that
 * call's id, which begins with that agent's key.
 */
export const ownerOf = ({ key, parent }: AgentRow): string | undefined =>
  parent ?? /^(.+):\d+#\d+~\d+\//.exec(key)?.[1];

/** Agents below the agent that started them, each group in the order of spawning. */
export function tree(agents: ReadonlyMap<string, AgentRow>): Place[] {
  const children = new Map<string | undefined, AgentRow[]>();
  for (const row of agents.values()) {
    const owner = ownerOf(row);
    const above = owner !== undefined && agents.has(owner) ? owner : undefined;
    const group = children.get(above);
    if (group) group.push(row);
    else children.set(above, [row]);
  }
  const places: Place[] = [];
  const stack = (children.get(undefined) ?? []).map((row) => ({ row, lead: "", below: "" })).reverse();
  while (stack.length > 0) {
    const { row, lead, below } = stack.pop()!;
    places.push({ row, lead });
    const group = children.get(row.key) ?? [];
    const inner = group.map((child, i) => {
      const last = i === group.length - 1;
      return { row: child, lead: `${below}${last ? "└ " : "├ "}`, below: `${below}${last ? "  " : "│ "}` };
    });
    stack.push(...inner.reverse());
  }
  return places;
}
