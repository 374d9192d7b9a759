import type { GuardOverrides } from "@agentpool/core";
import type { GuardComparison } from "./compare-guards.ts";

/** A change of one guard, and what it would have come to over some runs. */
export interface GuardSuggestion {
  readonly guard: string;
  readonly setting: GuardOverrides[string];
  /** Runs that it would have changed. */
  readonly runs: number;
  readonly refused: number;
  /** Turns of agents that would not have been started. */
  readonly turnsSaved: number;
  readonly tokensSaved: number;
  readonly msSaved: number;
  /** What these numbers do not know. */
  readonly notKnown: readonly string[];
}

/** Changes worth looking at: each guard that is off, or looks at its own agent alone, set to look at everybody. */
export const candidates = (
  guards: GuardOverrides,
  known: readonly string[],
): readonly { readonly guard: string; readonly setting: GuardOverrides[string] }[] =>
  known.flatMap((guard): { guard: string; setting: GuardOverrides[string] }[] => {
    const setting = Object.hasOwn(guards, guard) ? guards[guard] : undefined;
    if (setting === false)
      return [
        { guard, setting: { scope: "lineage" } },
        { guard, setting: { scope: "cohort" } },
      ];
    return setting?.scope === "cohort" ? [] : [{ guard, setting: { scope: "cohort" } }];
  });

/** Sums of what one change does to several runs. */
export const suggestion = (
  change: { readonly guard: string; readonly setting: GuardOverrides[string] },
  comparisons: readonly GuardComparison[],
  notKnown: readonly string[],
): GuardSuggestion => {
  const sum = (of: (comparison: GuardComparison) => number): number =>
    comparisons.reduce((total, comparison) => total + of(comparison), 0);
  return {
    ...change,
    runs: comparisons.filter(({ changes }) => changes.length > 0).length,
    refused: sum(({ refused, unmade }) => refused + unmade),
    turnsSaved: sum(({ turnsSaved }) => turnsSaved),
    tokensSaved: sum(({ tokensSaved }) => tokensSaved),
    msSaved: sum(({ msSaved }) => msSaved),
    notKnown,
  };
};

/** What saves most first; what saves nothing not at all. */
export const ranked = (suggestions: readonly GuardSuggestion[]): GuardSuggestion[] =>
  suggestions
    .filter(({ refused }) => refused > 0)
    .sort((a, b) => b.tokensSaved - a.tokensSaved || b.refused - a.refused || b.msSaved - a.msSaved);
