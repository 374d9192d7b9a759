import type { Exit, JournalEntry, ReplayedCall, ReplayedTurn } from "@agentpool/core";
import { counted } from "../words.ts";
import type { GuardComparison } from "./compare-guards.ts";
import type { LimitName } from "./replay-settings.ts";

/** What was looked at, as far as what cannot be known of it depends on it. */
export interface Replayed {
  readonly calls: readonly ReplayedCall[];
  readonly entries: readonly JournalEntry[];
  /** The file of the harness's own program, if it has one. */
  readonly program: string | undefined;
  /** Whether the harness asks for reviews. */
  readonly reviews: boolean;
  /** Turns that were looked at, and limits that were changed: those among them that leave more than there was. */
  readonly turns?: readonly ReplayedTurn[];
  readonly limits?: { readonly changed: readonly LimitName[]; readonly raised: readonly LimitName[] };
  /** Settings that differ from the run's and have no effect here, by the places that they have in harness.yml. */
  readonly unreplayed?: readonly string[];
  /** Whether the run has come to its end. Default true. */
  readonly isOver?: boolean;
}

/** What no replay can know. */
export const ALWAYS = [
  "What the model would have done next: an agent that is refused asks for something else, which may cost as much.",
] as const;

/** What this replay could not know, a sentence for each thing; nothing that had no bearing on it. */
export function notKnown(
  { changes, uncertain }: Pick<GuardComparison, "changes" | "uncertain">,
  replayed: Replayed,
): readonly string[] {
  const { calls, entries, program, reviews, isOver = true } = replayed;
  const now = changes.map((change) => change.now);
  const broken = [...new Set(calls.flatMap((call) => call.broken))];
  const unknown = [...new Set(calls.filter(isUnknown).map(({ tool }) => tool))];
  const reviewed = entries.filter(isReview).length;
  return [
    ...ALWAYS,
    ...(isOver ? [] : ["What comes after: the run had not come to its end when this was looked at."]),
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
    ...unknownOfLimits(replayed),
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

/** What limits would have come to, as far as they were changed. */
function unknownOfLimits({ entries, program, turns = [], limits, unreplayed = [] }: Replayed): string[] {
  const { changed, raised } = limits ?? { changed: [], raised: [] };
  const stopped = turns.some(({ replayed }) => replayed.type === "reports");
  const unpriced = turns.filter((turn) => turn.unpriced).length;
  const ended = endedBy(entries, raised);
  return [
    ...(stopped
      ? [
          "What an agent that a limit stops would have reported: it reports in place of its next turn, which is taken to cost as much.",
        ]
      : []),
    ...(ended > 0
      ? [
          `What ${counted(ended, "agent")} would have done with more: a limit ended them, and the record ends there.`,
        ]
      : []),
    ...(changed.includes("maxCost") && unpriced > 0
      ? [`What ${counted(unpriced, "turn")} cost: the price is not on record, and they count nothing.`]
      : []),
    ...(changed.includes("maxTokens") || changed.includes("maxCost")
      ? [
          "Whose turn it would have been: turns that were under way at once are looked at in the order of the record, and count with what they came to use.",
        ]
      : []),
    ...(changed.includes("wallClock")
      ? ["How time would have passed: everything takes as long as it did, whatever is left out before it."]
      : []),
    ...(changed.length > 0 && program !== undefined
      ? [`Which limits ${program} sets by itself: those of the settings are taken for all its agents.`]
      : []),
    ...(unreplayed.length > 0
      ? [
          `What ${unreplayed.join(", ")} would have changed: they differ from the run's, and are not replayed.`,
        ]
      : []),
  ];
}

/** How an agent ends that a limit stops. */
const EXITS: Readonly<Record<LimitName, Exit>> = {
  maxTurns: "max_turns",
  maxToolCalls: "max_calls",
  maxTokens: "budget",
  maxCost: "budget",
  wallClock: "deadline",
};

function endedBy(entries: readonly JournalEntry[], limits: readonly LimitName[]): number {
  const exits = new Set(limits.map((name) => EXITS[name]));
  return entries.filter((entry) => entry.type === "agent:ended" && exits.has(entry.result.exit)).length;
}

/** A call of a tool that is not there; those that end an agent are none of the guards' business. */
const isUnknown = ({ unknownTool, recorded }: ReplayedCall): boolean =>
  unknownTool && recorded.type !== "other";

/** Whether a reviewer was asked, and what came of it. */
export const isReview = ({ type }: JournalEntry): boolean =>
  type === "review:passed" || type === "review:restarted" || type === "review:failed";

const OURS = new Set(["deny", "auth_reject", "limit", "approval", "hook_error"]);
