import type { Series } from "../measure/series.ts";
import { count } from "./count.ts";

/** A number in about three digits. */
export function digits(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 100) return count(Math.round(value));
  return value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

/** The median, and how far the rounds lay apart. */
export const spread = ({ median, min, max }: Series): string =>
  min === max ? digits(median) : `${digits(median)} (${digits(min)}–${digits(max)})`;
