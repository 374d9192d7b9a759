import type { TurnView } from "@agentpool/journal";
import { oneLine } from "../printable.ts";
import { dollars, lasting, short } from "../words.ts";
import type { LineOptions } from "./agent-lines.ts";

/** Who asked for a review, what it came to, and what it took. */
export function reviewLines({ reviews }: TurnView, { palette, results }: LineOptions): string[] {
  return reviews.flatMap((review) => {
    const { subject, asked, verdict, problem, message, model, usage, cost, ms, remembered } = review;
    if (verdict === "matched" && asked.length === 0 && !results) return [];
    const took = [
      model ?? undefined,
      remembered ? "as before" : `${short(usage.input + usage.output)} tokens`,
      cost === null ? undefined : dollars(cost),
      ms === null ? undefined : lasting(ms),
    ].filter((fact) => fact !== undefined);
    const facts = verdict === "skipped" ? [] : took;
    const said = [problem ?? undefined, message ?? undefined].filter((text) => text !== undefined).join(": ");
    const label = `${verdict === "matched" ? "rules" : `${subject} ${VERDICTS[verdict]}`}, ${askedBy(asked)}`;
    const colour = verdict === "passed" || verdict === "matched" ? palette.dim : palette.yellow;
    const line = `    ${colour(label)}${said === "" ? "" : `  ${oneLine(said, results ? 400 : 90)}`}`;
    return [`${line}  ${palette.dim(facts.join(" · "))}`.trimEnd()];
  });
}

const VERDICTS = {
  passed: "passed its review",
  restarted: "was sent back",
  failed: "was not vouched for",
  skipped: "was not reviewed",
} as const;

/** By whom a review was asked for: everybody, rules by their titles, tools by their names. */
const askedBy = (asked: readonly unknown[]): string =>
  asked
    .map((one) => {
      if (typeof one === "string") return one;
      const { by, title, tool } = one as { by: string; title?: string; tool?: string };
      return title ?? tool ?? by;
    })
    .join(", ") || "none applies";
