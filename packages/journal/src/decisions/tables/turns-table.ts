import type { StoredEntry } from "../../values/entry.ts";
import type { RowOf } from "../../values/tables.ts";
import type { Changes } from "./changes.ts";

type Started = Extract<StoredEntry, { type: "turn:started" }>;
type Completed = Extract<StoredEntry, { type: "turn:completed" }>;

/** The last turn that an agent began. */
interface Open {
  readonly turn: number;
  readonly attempt: number;
  readonly forced: boolean;
  readonly at: number;
  /** Once it is there. */
  row?: RowOf<"turns">;
}

/** A row for each turn that was generated to its end. Reports and what was sent back count as no turns. */
export class TurnsTable {
  readonly #run: string;
  readonly #changes: Changes;
  readonly #open = new Map<string, Open>();

  constructor(run: string, changes: Changes) {
    this.#run = run;
    this.#changes = changes;
  }

  /** A turn that is generated again, after a restart or in another process, is another attempt at it. */
  started({ agent, turn, forced, at }: Started): void {
    const last = this.#open.get(agent);
    const attempt = last?.turn === turn && last.row ? last.attempt + 1 : 0;
    this.#open.set(agent, { turn, attempt, forced, at });
  }

  /**
   * `model` is the agent's, for a turn that does not say which one of several generated it. Returns whether it counts as
   * a turn.
   */
  completed(
    { agent, turn, at, result, tokens, cost }: Completed,
    idx: number,
    model: string | null,
  ): boolean {
    const open: Open = this.#open.get(agent) ?? { turn, attempt: 0, forced: false, at };
    const { usage } = result;
    const row: RowOf<"turns"> = {
      run: this.#run,
      idx,
      agent,
      turn,
      attempt: open.attempt,
      forced: open.forced ? 1 : 0,
      started_at: open.at,
      ended_at: at,
      finish: result.finish,
      calls: result.calls.length,
      input_tokens: usage.input,
      output_tokens: usage.output,
      cached_tokens: usage.cached,
      context_tokens: tokens,
      cost: cost ?? null,
      model: result.model ?? model,
    };
    open.row = row;
    this.#changes.note("turns", row);
    return !open.forced;
  }

  /** A turn was sent back. Returns whether it had counted. */
  restarted(agent: string): boolean {
    const row = this.#open.get(agent)?.row;
    if (!row || row.finish === "restarted") return false;
    row.finish = "restarted";
    this.#changes.note("turns", row);
    return row.forced === 0;
  }

  agentEnded(agent: string): void {
    this.#open.delete(agent);
  }
}
