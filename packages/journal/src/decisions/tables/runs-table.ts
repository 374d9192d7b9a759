import type { Usage } from "@agentpool/core";
import type { RunEntry } from "../../values/entry.ts";
import type { RowOf } from "../../values/tables.ts";
import type { Changes } from "./changes.ts";

/** The one row of a run, with its sums. */
export class RunsTable {
  readonly #changes: Changes;
  readonly #row: RowOf<"runs">;

  constructor(run: string, changes: Changes) {
    this.#changes = changes;
    this.#row = {
      id: run,
      question: "",
      status: "running",
      started_at: null,
      ended_at: null,
      agents: 0,
      turns: 0,
      calls: 0,
      refusals: 0,
      input_tokens: 0,
      output_tokens: 0,
      cached_tokens: 0,
      cost: 0,
      origin: null,
      settings: null,
      answer: null,
      error: null,
    };
  }

  /** It begins with its first entry, whatever that says. */
  began(at: number): void {
    this.#row.started_at ??= at;
  }

  add(entry: Exclude<RunEntry, { type: "run:sources" }>): void {
    const row = this.#row;
    switch (entry.type) {
      case "run:started":
        row.question = entry.question;
        row.started_at = entry.at;
        row.settings = entry.settings ?? null;
        row.origin = entry.origin ?? null;
        break;
      case "run:resumed":
        row.status = "running";
        row.ended_at = null;
        row.error = null;
        break;
      case "run:waiting":
        row.status = "waiting";
        break;
      case "run:stopped":
        // a signal interrupts, as a crash does; a person who stops a run means it
        if (entry.by !== "ctrl-c") break;
        row.status = "cancelled";
        row.ended_at = entry.at;
        break;
      case "run:ended":
        row.status = entry.status;
        row.ended_at = entry.at;
        row.answer = entry.answer ?? null;
        row.error = entry.error ?? null;
        break;
    }
    this.sumUp();
  }

  /** The sums are brought up to date with a run's pools, and not with every call: see `listRuns`. */
  sumUp(): void {
    this.#changes.note("runs", this.#row);
  }

  count(what: "agents" | "turns" | "calls" | "refusals", by: 1 | -1 = 1): void {
    this.#row[what]! += by;
  }

  /** Once a price is not known, what the run cost is not. */
  used({ input, output, cached }: Usage, cost: number | undefined): void {
    const row = this.#row;
    row.input_tokens! += input;
    row.output_tokens! += output;
    row.cached_tokens! += cached;
    row.cost = row.cost === null || cost === undefined ? null : row.cost + cost;
  }
}
