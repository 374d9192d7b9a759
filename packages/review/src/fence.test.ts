import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { fence } from "./fence.ts";

const linesOf = (fenced: string): string[] => fenced.split("\n");

describe("a fence", () => {
  it("holds a value as JSON on one line, between two that are named alike", () => {
    const [open, data, close, ...more] = linesOf(fence("calls", { q: "a\nb <c>" }));
    expect(more).toEqual([]);
    expect(open).toMatch(/^<data calls [0-9a-f]{16}>$/);
    expect(close).toBe(`</${open!.slice(1)}`);
    expect(JSON.parse(data!)).toEqual({ q: "a\nb <c>" });
    expect(data).not.toMatch(/[<>]/);
  });

  it("is named after what it holds, and so alike for the same", () => {
    expect(fence("x", ["a"])).toBe(fence("x", ["a"]));
    expect(linesOf(fence("x", ["a"]))[0]).not.toBe(linesOf(fence("x", ["b"]))[0]);
  });

  it("has a name that nobody can make from outside, nor guess from what it holds", async () => {
    const [open, data] = linesOf(fence("x", "+49 30 123456"));
    const digest = createHash("sha256").update(data!).digest("hex");
    expect(open).not.toContain(digest.slice(0, 16));
    // as in another process
    vi.resetModules();
    const other = await import("./fence.ts");
    const [there, same] = linesOf(other.fence("x", "+49 30 123456"));
    expect(same).toBe(data);
    expect(there).not.toBe(open);
  });

  it("takes what JSON has no form for", () => {
    expect(linesOf(fence("x", undefined))[1]).toBe("null");
    expect(linesOf(fence("x", { big: 10n }))[1]).toBe('{"big":"10"}');
  });

  it("is not closed from inside, whatever it holds", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const lines = linesOf(fence("x", value));
        expect(lines).toHaveLength(3);
        expect(lines[1]).not.toMatch(/[<>\u2028\u2029\r]/);
        expect(JSON.parse(lines[1]!)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
