import type { AgentRow } from "./view-state.ts";

/** An agent's place in the tree: how deep it is, and whether it is the last child of its parent. */
export interface Place {
  readonly row: AgentRow;
  /** The lines of the tree before its name: `│ └ `. */
  readonly lead: string;
}

/** Agents below the agent that started them, each group in the order of spawning. */
export function tree(agents: ReadonlyMap<string, AgentRow>): Place[] {
  const children = new Map<string | undefined, AgentRow[]>();
  for (const row of agents.values()) {
    const parent = row.parent !== undefined && agents.has(row.parent) ? row.parent : undefined;
    const group = children.get(parent);
    if (group) group.push(row);
    else children.set(parent, [row]);
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
