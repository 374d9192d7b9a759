import { type Finding, verdictOf } from "../rows/finding.ts";
import { digits, spread } from "./amount.ts";

/** A finding in one line: the verdict, what it is, what it may be at most, and how it came about. */
export function findingLine(finding: Finding): string {
  const verdict = verdictOf(finding);
  switch (finding.type) {
    case "ratio": {
      const { ratio, beside, target, cpuRatio, ours, theirs, unit } = finding;
      const what = `${ratio.toFixed(3)} × ${beside}`;
      const how = `${spread(ours)} beside ${spread(theirs)} µs a ${unit}; by CPU time ${cpuRatio.toFixed(3)}`;
      return line(verdict, what, target, how);
    }
    case "amount": {
      const { what, amount, unit, target } = finding;
      return line(verdict, `${digits(amount.median)} ${unit}, ${what}`, target, range(finding));
    }
    case "failed":
      return line(verdict, finding.what, undefined, finding.reason);
  }
}

const range = ({ amount: { min, max }, unit }: Extract<Finding, { type: "amount" }>): string =>
  min === max ? "" : `${digits(min)}–${digits(max)} ${unit}`;

/** Columns, so that verdicts and targets stand below each other. */
export const line = (verdict: string, what: string, target: number | undefined, how: string): string =>
  `   ${verdict.padEnd(6)} ${what.padEnd(58)} ${atMost(target).padEnd(8)} ${how}`.trimEnd();

const atMost = (target: number | undefined): string =>
  target === undefined ? "" : `≤ ${target.toLocaleString("en")}`;
