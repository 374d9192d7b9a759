import type { Series } from "../measure/series.ts";

/** One thing that was found out. */
export type Finding =
  /** Time of a unit of work, as a share of what something else takes. */
  | {
      readonly type: "ratio";
      /** What it is compared with. */
      readonly beside: string;
      /** Of the medians, by the clock and by the time of the processors. */
      readonly ratio: number;
      readonly cpuRatio: number;
      /** At most. Undefined: only for information. */
      readonly target: number | undefined;
      /** What a unit is: a turn, a call. */
      readonly unit: string;
      /** In microseconds. */
      readonly ours: Series;
      readonly theirs: Series;
    }
  /** An amount with a limit. */
  | {
      readonly type: "amount";
      readonly what: string;
      readonly amount: Series;
      readonly unit: string;
      readonly target: number | undefined;
    }
  | { readonly type: "failed"; readonly what: string; readonly reason: string };

export type Verdict = "pass" | "miss" | "note" | "failed";

/** By the median of the rounds; of ratios, by the clock. What was not measured has no verdict but that. */
export function verdictOf(finding: Finding): Verdict {
  if (finding.type === "failed") return "failed";
  if (finding.target === undefined) return "note";
  const value = finding.type === "ratio" ? finding.ratio : finding.amount.median;
  return value <= finding.target ? "pass" : "miss";
}
