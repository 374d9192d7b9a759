import type { AgentResult } from "@agentpool/core";
import type { StoredEntry } from "../../values/entry.ts";
import type { RowOf } from "../../values/tables.ts";
import type { Changes } from "./changes.ts";

type Spawned = Extract<StoredEntry, { type: "agent:spawned" }>;

/** A row for each agent, from its start to its end. */
export class AgentsTable {
  readonly #run: string;
  readonly #changes: Changes;
  /** Those that are not over. */
  readonly #open = new Map<string, RowOf<"agents">>();
  readonly #models = new Map<string, string>();

  constructor(run: string, changes: Changes) {
    this.#run = run;
    this.#changes = changes;
  }

  poolOpened({ pool, model }: { readonly pool: string; readonly model: string }): void {
    this.#models.set(pool, model);
  }

  /** False: it is back, and not a new one. */
  spawned({ agent, pool, parent, depth, task, at, model }: Spawned, idx: number): boolean {
    if (this.#open.has(agent)) return false;
    const row: RowOf<"agents"> = {
      run: this.#run,
      idx,
      agent,
      pool,
      parent: parent ?? null,
      depth,
      model: model ?? this.#models.get(pool) ?? null,
      task,
      started_at: at,
      ended_at: null,
      exit: null,
      reason: null,
      result: null,
    };
    this.#open.set(agent, row);
    this.#changes.note("agents", row);
    return true;
  }

  ended(agent: string, at: number, { exit, reason, result }: AgentResult): void {
    const row = this.#open.get(agent);
    if (!row) return;
    row.ended_at = at;
    row.exit = exit;
    row.reason = reason ?? null;
    row.result = result ?? null;
    this.#open.delete(agent);
    this.#changes.note("agents", row);
  }

  /** The model of an agent that is not over. */
  modelOf(agent: string): string | null {
    return this.#open.get(agent)?.model ?? null;
  }
}
