import type { Usage } from "@agentpool/core";
import type { StoredEntry } from "../../values/entry.ts";
import type { RowOf } from "../../values/tables.ts";
import type { Changes } from "./changes.ts";

type Started = Extract<StoredEntry, { type: "turn:started" }>;
type Completed = Extract<StoredEntry, { type: "turn:completed" }>;
/** A generation that came to nothing, whether or not it was asked for again. */
type Failed = Extract<StoredEntry, { type: "turn:failed" | "model:limited" }>;

/** The last turn that an agent began. */
interface Open {
  readonly turn: number;
  readonly attempt: number;
  readonly forced: boolean;
  readonly at: number;
  /** Once it is there. */
  row?: RowOf<"turns">;
}

/** What became of a generation. */
interface Said extends Pick<RowOf<"turns">, "finish" | "calls" | "model"> {
  readonly tokens: number;
  readonly usage: Usage | undefined;
  readonly cost: number | undefined;
}

/** A row for each generation that used something, or was the last. Reports, what was sent back and what came to nothing count as no turns. */
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
    const { finish, calls, usage } = result;
    const said = { finish, calls: calls.length, tokens, usage, cost, model: result.model ?? model };
    const row = this.#rowOf(agent, open, idx, at, said);
    open.row = row;
    this.#changes.note("turns", row);
    return !open.forced;
  }

  /** What it has used; the next generation is the same attempt at its turn. */
  failed({ agent, at, usage, cost }: Failed, idx: number, model: string | null): void {
    const open = this.#open.get(agent);
    if (!open) return;
    const said = { finish: "failed", calls: 0, tokens: 0, usage, cost: usage ? cost : 0, model } as const;
    this.#changes.note("turns", this.#rowOf(agent, open, idx, at, said));
  }

  #rowOf(agent: string, open: Open, idx: number, at: number, said: Said): RowOf<"turns"> {
    return {
      run: this.#run,
      idx,
      agent,
      turn: open.turn,
      attempt: open.attempt,
      forced: open.forced ? 1 : 0,
      started_at: open.at,
      ended_at: at,
      finish: said.finish,
      calls: said.calls,
      input_tokens: said.usage?.input ?? 0,
      output_tokens: said.usage?.output ?? 0,
      cached_tokens: said.usage?.cached ?? 0,
      context_tokens: said.tokens,
      cost: said.cost ?? null,
      model: said.model,
    };
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
