import type { Sample } from "../contenders/contender.ts";

/** What was measured several times. */
export interface Series {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Throws without a value: nothing was measured then. */
export function seriesOf(values: readonly number[]): Series {
  if (values.length === 0) throw new RangeError("a series needs at least one value");
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}

/** Microseconds of one unit of work. */
export const wallOf = (samples: readonly Sample[]): Series =>
  seriesOf(samples.map(({ wallMs, units }) => (wallMs * 1_000) / units));

export const cpuOf = (samples: readonly Sample[]): Series =>
  seriesOf(samples.map(({ cpuMs, units }) => (cpuMs * 1_000) / units));

/** One of the figures that a contender gave beside the time. */
export const figureOf = (samples: readonly Sample[], name: string): Series =>
  seriesOf(samples.map(({ figures }) => figures?.[name] ?? Number.NaN));
