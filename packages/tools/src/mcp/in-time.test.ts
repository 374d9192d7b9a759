import { describe, expect, it } from "vitest";
import { inTime, OutOfTime } from "./in-time.ts";

describe("what is run in limited time", () => {
  it("gives what it gives, and throws what it throws", () => {
    expect(inTime(1_000, () => ({ a: 1 }))).toEqual({ a: 1 });
    const error = new RangeError("mine");
    expect(() => inTime(1_000, () => fail(error))).toThrow(error);
  });

  it("is stopped in the middle of a loop or of a regular expression, and the next runs as ever", () => {
    for (const endless of [forever, () => /^(a+)+$/.test(`${"a".repeat(200)}b`)]) {
      expect(() => inTime(20, endless)).toThrow(OutOfTime);
      expect(inTime(1_000, () => "next")).toBe("next");
    }
  });
});

function forever(): void {
  for (;;);
}

function fail(error: Error): never {
  throw error;
}
