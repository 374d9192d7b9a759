import { describe, expect, it } from "vitest";
import { cpuOf, seriesOf, wallOf } from "./series.ts";

describe("a series", () => {
  it("is summed up by what lies in the middle, whatever the order", () => {
    expect(seriesOf([9, 1, 2])).toEqual({ median: 2, min: 1, max: 9 });
    expect(seriesOf([4, 1, 2, 9])).toEqual({ median: 3, min: 1, max: 9 });
  });

  it("of nothing is an error, not a number", () => {
    expect(() => seriesOf([])).toThrow(RangeError);
  });

  it("is in microseconds of one unit of work", () => {
    const samples = [{ units: 1_000, wallMs: 50, cpuMs: 80 }];
    expect(wallOf(samples).median).toBe(50);
    expect(cpuOf(samples).median).toBe(80);
  });
});
