import type { Args } from "@agentpool/core";
import type { StoredEntry } from "../../values/entry.ts";

/** A call as the model proposed it, or as it was rewritten. */
export type Proposal = Pick<
  Extract<StoredEntry, { type: "call:proposed" }>,
  "tool" | "identity" | "input" | "turn"
>;

/** Calls that were proposed, until something became of them: what their later entries do not say again. */
export class Proposals {
  readonly #open = new Map<string, Proposal>();

  proposed(call: string, proposal: Proposal): void {
    this.#open.set(call, proposal);
  }

  rewritten(call: string, { tool, args }: { readonly tool: string; readonly args: Args }): void {
    const proposal = this.#open.get(call);
    if (proposal) this.#open.set(call, { ...proposal, tool, input: JSON.stringify(args) });
  }

  of(call: string): Proposal | undefined {
    return this.#open.get(call);
  }

  over(call: string): void {
    this.#open.delete(call);
  }
}
