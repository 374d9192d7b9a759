import type { StoredEntry } from "../../values/entry.ts";
import type { Changes } from "./changes.ts";
import type { Proposals } from "./proposals.ts";

type Refused = Extract<StoredEntry, { type: "call:refused" | "call:cancelled" }>;

/** A row for each call that a guard or the framework did not let run. None of them is in `calls`. */
export class RefusalsTable {
  readonly #run: string;
  readonly #changes: Changes;
  readonly #proposals: Proposals;

  constructor(run: string, changes: Changes, proposals: Proposals) {
    this.#run = run;
    this.#changes = changes;
    this.#proposals = proposals;
  }

  refused({ type, call, agent, tool, guard, message, at }: Refused, idx: number): void {
    const proposal = this.#proposals.of(call);
    this.#proposals.over(call);
    this.#changes.note("refusals", {
      run: this.#run,
      idx,
      call,
      agent,
      turn: proposal?.turn ?? null,
      tool,
      identity: proposal?.identity ?? null,
      input: proposal?.input ?? null,
      kind: type === "call:refused" ? "refused" : "cancelled",
      guard,
      message,
      at,
    });
  }
}
