import type { Measured } from "../measure/measure.ts";
import { cpuOf, wallOf } from "../measure/series.ts";
import type { Finding } from "./finding.ts";

export interface Comparison {
  /** Names of what was measured: the time of the first is given as a share of the second's. */
  readonly of: string;
  readonly beside: string;
  readonly unit: string;
  readonly target?: number;
  /** What is beside, in words. Default: its name. */
  readonly label?: string;
}

/** One contender beside another. Says so where either could not be measured. */
export function compare(
  measured: ReadonlyMap<string, Measured>,
  { of, beside, unit, target, label = beside }: Comparison,
): Finding {
  const [ours, theirs] = [measured.get(of), measured.get(beside)];
  if (ours?.type !== "sampled") return { type: "failed", what: of, reason: ours?.reason ?? "not measured" };
  if (theirs?.type !== "sampled")
    return { type: "failed", what: beside, reason: theirs?.reason ?? "not measured" };
  const [wall, cpu] = [wallOf(ours.samples), cpuOf(ours.samples)];
  const [theirWall, theirCpu] = [wallOf(theirs.samples), cpuOf(theirs.samples)];
  return {
    type: "ratio",
    beside: label,
    ratio: wall.median / theirWall.median,
    cpuRatio: cpu.median / theirCpu.median,
    target,
    unit,
    ours: wall,
    theirs: theirWall,
  };
}
