import type { JournalEntry, ReplayedCall } from "@agentpool/core";
import { counted } from "../words.ts";
import type { GuardComparison } from "./compare-guards.ts";

/** What was looked at, as far as what cannot be known of it depends on it. */
export interface Replayed {
  readonly calls: readonly ReplayedCall[];
  readonly entries: readonly JournalEntry[];
  /** The file of the harness's own program, if it has one. */
  readonly program: string | undefined;
  /** Whether the harness asks for reviews. */
  readonly reviews: boolean;
}

/** What no replay can know. */
export const ALWAYS = [
  "What the model would have done next: an agent that is refused asks for something else, which may cost as much.",
] as const;

/** What this replay could not know, a sentence for each thing; nothing that had no bearing on it. */
export function notKnown(
  { changes, uncertain }: Pick<GuardComparison, "changes" | "uncertain">,
  { calls, entries, program, reviews }: Replayed,
): readonly string[] {
  const now = changes.map((change) => change.now);
  const broken = [...new Set(calls.flatMap((call) => call.broken))];
  const unknown = [...new Set(calls.filter(isUnknown).map(({ tool }) => tool))];
  const reviewed = entries.filter(isReview).length;
  return [
    ...ALWAYS,
    ...(changes.some(({ change }) => change === "allowed")
      ? ["What a call that is allowed here would have given and cost: it is taken to succeed."]
      : []),
    ...(now.some(({ type }) => type === "asked")
      ? ["What a person would have said: a call that would wait for one is taken to run in what follows."]
      : []),
    ...(changes.some(
      ({ change, then }) => change === "unasked" || ("guard" in then && then.guard === "approval"),
    )
      ? [
          "How long it would have taken where nobody is asked: what people took to decide is not in the numbers.",
        ]
      : []),
    ...(reviewed > 0
      ? [`What reviewers would have said: ${counted(reviewed, "review")} of the record stand as they are.`]
      : reviews
        ? ["What reviewers would have said: none was asked in that run, and none is here."]
        : []),
    ...(now.some((fate) => fate.type === "refused" && !OURS.has(fate.guard))
      ? ["What an agent has from others: at cohort scope it is refused what it has not read itself."]
      : []),
    ...(now.some((fate) => fate.type === "refused" && fate.guard === "limit")
      ? ["What an agent would have reported earlier: one whose calls are used up takes no further turn here."]
      : []),
    ...(broken.length > 0
      ? [`What ${broken.join(", ")} would have said: a guard that breaks refuses, and it broke here.`]
      : []),
    ...(unknown.length > 0
      ? [
          `What guards of ${unknown.join(", ")} would have said: the harness has no such tool by itself, and only its own hooks, denies, approvals and limits were asked.`,
        ]
      : []),
    ...(program === undefined
      ? []
      : [`What guards of ${program} were at that time: they are asked as its code is now.`]),
    ...(uncertain > 0
      ? [
          `Why ${counted(uncertain, "call")} went otherwise than these guards say even under the run's own settings (marked ?): a guard looks at more than its input, or its code has changed.`,
        ]
      : []),
  ];
}

/** A call of a tool that is not there; those that end an agent are none of the guards' business. */
const isUnknown = ({ unknownTool, recorded }: ReplayedCall): boolean =>
  unknownTool && recorded.type !== "other";

/** Whether a reviewer was asked, and what came of it. */
export const isReview = ({ type }: JournalEntry): boolean =>
  type === "review:passed" || type === "review:restarted" || type === "review:failed";

const OURS = new Set(["deny", "auth_reject", "limit", "approval", "hook_error"]);
