import type { Approval } from "@agentpool/core";
import type { RowOf } from "../../values/tables.ts";
import type { Changes } from "./changes.ts";

/** A row for each question to a person, with what was decided. */
export class ApprovalsTable {
  readonly #run: string;
  readonly #changes: Changes;
  readonly #rows = new Map<string, RowOf<"approvals">>();

  constructor(run: string, changes: Changes) {
    this.#run = run;
    this.#changes = changes;
  }

  requested({ id, reviews = [], reason, ...asked }: Approval, at: number): void {
    const known = this.#rows.get(id);
    // one that parks again in another process was asked for once
    if (known && known.state !== "void") return;
    const { agent, call, tool, identity, args, digest } = asked;
    const row: RowOf<"approvals"> = {
      run: this.#run,
      id,
      agent,
      call,
      tool,
      identity,
      args,
      digest,
      question: reason,
      reviews,
      state: "open",
      reason: null,
      requested_at: at,
      decided_at: null,
    };
    this.#rows.set(id, row);
    this.#changes.note("approvals", row);
  }

  /** The first decision stands. */
  decided(id: string, at: number, state: "approved" | "denied" | "void", reason: string | null): void {
    const row = this.#rows.get(id);
    if (row?.state !== "open") return;
    row.state = state;
    row.reason = reason;
    row.decided_at = at;
    this.#changes.note("approvals", row);
  }
}
