import type { Args, Outcome } from "@agentpool/core";
import type { RowOf } from "../../values/tables.ts";
import type { Changes } from "./changes.ts";
import type { Proposals } from "./proposals.ts";

/** What an entry says about the call that it is about. */
interface About {
  readonly call: string;
  readonly agent: string;
  readonly at: number;
}

/** A call as it begins to execute. `tool` is absent in what is said of a terminal call. */
interface Intent extends About {
  readonly tool?: string;
  readonly identity: string;
  readonly args: Args;
  readonly attempt: number;
}

/** A row for each call that was made or answered for. Those that were refused are in `refusals`. */
export class CallsTable {
  readonly #run: string;
  readonly #changes: Changes;
  readonly #proposals: Proposals;
  /** Those whose result is not in yet. */
  readonly #open = new Map<string, RowOf<"calls">>();

  constructor(run: string, changes: Changes, proposals: Proposals) {
    this.#run = run;
    this.#changes = changes;
    this.#proposals = proposals;
  }

  /** It is about to execute. Says whether that is for the first time. */
  dispatched(intent: Intent, idx: number, terminal = false): boolean {
    const known = this.#open.get(intent.call);
    const row = known ?? this.#begin(intent, idx, intent.args, terminal);
    row.attempts = intent.attempt + 1;
    row.dispatched_at ??= intent.at;
    this.#changes.note("calls", row);
    return known === undefined;
  }

  has(call: string): boolean {
    return this.#open.has(call);
  }

  /** What became of it. One that has no row yet was answered for, or ended an agent before that was on record. */
  settled(entry: About & { readonly tool: string }, idx: number, outcome: Outcome, ms?: number): void {
    const row = this.#open.get(entry.call) ?? this.#answered(entry, idx, outcome);
    if (row.outcome === null) conclude(row, outcome);
    row.settled_at = entry.at;
    row.ms = ms ?? null;
    this.#changes.note("calls", row);
  }

  /** What a terminal call's tool made of it. Whether its agent may stop with it says nothing of that. */
  executed(call: string, outcome: Outcome): void {
    const row = this.#open.get(call);
    if (!row) return;
    conclude(row, outcome);
    this.#changes.note("calls", row);
  }

  admitted(call: string, attended: boolean): void {
    const row = this.#open.get(call);
    if (!row) return;
    this.#open.delete(call);
    if (!attended) return;
    row.attended = 1;
    this.#changes.note("calls", row);
  }

  #answered(entry: About & { readonly tool: string }, idx: number, { type }: Outcome): RowOf<"calls"> {
    const proposal = this.#proposals.of(entry.call);
    const about = { ...entry, identity: proposal?.identity };
    return this.#begin(about, idx, argsOf(proposal?.input), type === "ok" || type === "error");
  }

  #begin(
    { call, agent, tool, identity }: Omit<Intent, "identity" | "args" | "attempt"> & { identity?: string },
    idx: number,
    args: Args | null,
    terminal: boolean,
  ): RowOf<"calls"> {
    const proposal = this.#proposals.of(call);
    const row: RowOf<"calls"> = {
      run: this.#run,
      idx,
      call,
      agent,
      turn: proposal?.turn ?? null,
      tool: tool ?? proposal?.tool ?? null,
      identity: identity ?? null,
      args,
      outcome: null,
      attended: 0,
      attempts: 0,
      dispatched_at: null,
      settled_at: null,
      ms: null,
      result: null,
      terminal: terminal ? 1 : 0,
    };
    this.#open.set(call, row);
    return row;
  }
}

function conclude(row: RowOf<"calls">, outcome: Outcome): void {
  row.outcome = outcome.type;
  row.result = "message" in outcome ? outcome.message : (outcome.value ?? null);
}

function argsOf(input: string | undefined): Args | null {
  try {
    return JSON.parse(input ?? "null") as Args;
  } catch {
    return null;
  }
}
