import { describe, expect, it } from "vitest";
import { findingLine } from "../format/finding-line.ts";
import type { Measured } from "../measure/measure.ts";
import { compare } from "./compare.ts";
import { verdictOf } from "./finding.ts";

const sampled = (...ms: number[]): Measured => ({
  type: "sampled",
  samples: ms.map((wallMs) => ({ units: 1_000, wallMs, cpuMs: 2 * wallMs })),
});
const comparison = { of: "ours", beside: "theirs", unit: "turn", target: 0.25 };
const found = (ours: Measured, theirs: Measured) =>
  compare(
    new Map([
      ["ours", ours],
      ["theirs", theirs],
    ]),
    comparison,
  );

describe("a comparison", () => {
  it("is the ratio of the medians, so that one slow round decides nothing", () => {
    const finding = found(sampled(50, 51, 900), sampled(200, 204, 208));
    expect(finding).toMatchObject({ ratio: 0.25, cpuRatio: 0.25 });
    expect(verdictOf(finding)).toBe("pass");
  });

  it("above its target is a miss", () => {
    expect(verdictOf(found(sampled(52), sampled(200)))).toBe("miss");
  });

  it("without a target is a note", () => {
    const measured = new Map([
      ["ours", sampled(52)],
      ["theirs", sampled(200)],
    ]);
    expect(verdictOf(compare(measured, { ...comparison, target: undefined }))).toBe("note");
  });

  it("with a peer that could not run says why", () => {
    const finding = found(sampled(50), { type: "failed", reason: "it is not installed" });
    expect(finding).toEqual({ type: "failed", what: "theirs", reason: "it is not installed" });
    expect(findingLine(finding)).toMatch(/^ {3}failed theirs +it is not installed$/);
  });

  it("reads as a line: verdict, ratio, target, and both times with their spread", () => {
    expect(findingLine(found(sampled(40, 50, 60), sampled(400))).replace(/ +/g, " ")).toBe(
      " pass 0.125 × theirs ≤ 0.25 50 (40–60) beside 400 µs a turn; by CPU time 0.125",
    );
  });
});
