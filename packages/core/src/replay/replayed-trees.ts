import type { Budget } from "../values/budget.ts";
import type { JournalEntry } from "../values/journal.ts";
import { ReplayedTree } from "./replayed-tree.ts";

/** The trees of pools of a record, and the time they have had. */
export class ReplayedTrees {
  readonly #wallClock: Budget["wallClock"];
  readonly #ofPool = new Map<string, ReplayedTree>();
  readonly #ofAgent = new Map<string, ReplayedTree>();
  /** What names no pool is of the tree that was heard of last. */
  #latest: ReplayedTree | undefined;
  #part = 0;

  constructor(wallClock: Budget["wallClock"]) {
    this.#wallClock = wallClock;
  }

  of(agent: string): ReplayedTree | undefined {
    return this.#ofAgent.get(agent);
  }

  /** Time goes on to the moment of an entry. Returns the tree it is about. */
  heard(entry: JournalEntry): ReplayedTree | undefined {
    if (entry.type === "record:begun") this.#part++;
    const tree = this.#treeOf(entry) ?? this.#latest;
    this.#latest = tree;
    tree?.heardAt(entry.at, this.#part);
    return tree;
  }

  #treeOf(entry: JournalEntry): ReplayedTree | undefined {
    if (entry.type === "pool:opened") {
      const tree = this.#ofPool.get(entry.within ?? "") ?? new ReplayedTree(this.#wallClock);
      this.#ofPool.set(entry.pool, tree);
      return tree;
    }
    if (entry.type === "agent:spawned") {
      const tree = this.#ofPool.get(entry.pool);
      if (tree) this.#ofAgent.set(entry.agent, tree);
      return tree;
    }
    if ("pool" in entry) return this.#ofPool.get(entry.pool);
    return "agent" in entry && entry.agent !== undefined ? this.#ofAgent.get(entry.agent) : undefined;
  }
}
