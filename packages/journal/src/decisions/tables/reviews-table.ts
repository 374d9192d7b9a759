import type { StoredEntry } from "../../values/entry.ts";
import type { RowOf } from "../../values/tables.ts";
import type { Changes } from "./changes.ts";

/** An entry that says how a review came out. */
export type ReviewEntry = Extract<
  StoredEntry,
  { type: "review:passed" | "review:restarted" | "review:failed" | "review:skipped" | "review:matched" }
>;

/** A row for each review: of a step, of a report, or of which rules apply. */
export class ReviewsTable {
  readonly #run: string;
  readonly #changes: Changes;
  #count = 0;

  constructor(run: string, changes: Changes) {
    this.#run = run;
    this.#changes = changes;
  }

  reviewed(entry: ReviewEntry): void {
    const { agent, turn, at } = entry;
    const took = "usage" in entry ? entry : undefined;
    this.#changes.note("reviews", {
      run: this.#run,
      review: this.#count++,
      agent,
      turn,
      attempt: "attempt" in entry ? entry.attempt : 0,
      subject: "subject" in entry ? entry.subject : "rules",
      asked: "asked" in entry ? entry.asked : entry.matched,
      ...verdictOf(entry),
      model: took?.model ?? null,
      effort: took && "effort" in took ? took.effort : null,
      remembered: took && "remembered" in took && took.remembered ? 1 : 0,
      input_tokens: took?.usage.input ?? 0,
      output_tokens: took?.usage.output ?? 0,
      cached_tokens: took?.usage.cached ?? 0,
      cost: took?.cost ?? null,
      ms: took?.ms ?? null,
      at,
    });
  }
}

function verdictOf(entry: ReviewEntry): Pick<RowOf<"reviews">, "verdict" | "problem" | "message"> {
  switch (entry.type) {
    case "review:passed":
      return { verdict: "passed", problem: null, message: entry.todo ?? null };
    case "review:restarted":
      return { verdict: "restarted", problem: null, message: entry.adjustedReasoning };
    case "review:failed":
      return { verdict: "failed", problem: entry.problem, message: entry.adjustedReasoning ?? entry.message };
    case "review:skipped":
      return { verdict: "skipped", problem: entry.reason, message: null };
    case "review:matched":
      return {
        verdict: "matched",
        problem: entry.failure?.problem ?? null,
        message: entry.failure?.message ?? null,
      };
  }
}
