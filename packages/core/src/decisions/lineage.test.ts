import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CallArgs, type Key } from "./call-args.ts";
import { Lineage } from "./lineage.ts";

const byK: Key = {
  identity: "local:read",
  slot: 0,
  compute: ({ k }) => (k === undefined ? undefined : String(k)),
};
const args = (k: unknown) => new CallArgs({ k });

describe("a lineage", () => {
  it("knows what was read here and by ancestors up to the fork, and nothing they read afterwards", () => {
    const parent = Lineage.empty();
    parent.attend("local:read", args("before"));
    const child = parent.fork();
    parent.attend("local:read", args("after"));
    child.attend("local:read", args("own"));
    expect(["before", "after", "own"].map((k) => child.has(byK, k))).toEqual([true, false, true]);
    expect(child.attended("local:read").map(({ k }) => k)).toEqual(["own", "before"]);
    expect(parent.has(byK, "own")).toBe(false);
  });

  it("can be forked from an earlier point", () => {
    const parent = Lineage.empty();
    parent.attend("local:read", args("a"));
    const point = parent.length;
    parent.attend("local:read", args("b"));
    const child = parent.fork(point);
    expect([child.has(byK, "a"), child.has(byK, "b")]).toEqual([true, false]);
  });

  it("tells tools apart", () => {
    const lineage = Lineage.empty();
    lineage.attend("local:other", args("x"));
    expect(lineage.has(byK, "x")).toBe(false);
    expect(lineage.attended("local:read")).toEqual([]);
  });

  it("does not key a recorded call whose key function throws now", () => {
    const lineage = Lineage.empty();
    lineage.attend("local:read", args("x"));
    const broken: Key = {
      ...byK,
      slot: 1,
      compute: () => {
        throw new Error("no");
      },
    };
    expect(lineage.has(broken, "x")).toBe(false);
  });

  it("answers the same by index and by walking, however reads, forks and depths mix", () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant("read" as const), k: fc.integer({ min: 0, max: 8 }) }),
      fc.constant({ type: "fork" as const }),
      fc.record({ type: fc.constant("ask" as const), k: fc.integer({ min: 0, max: 8 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        let lineage = Lineage.empty();
        for (const at of steps) {
          if (at.type === "read") lineage.attend("local:read", args(at.k));
          if (at.type === "fork") lineage = lineage.fork();
          if (at.type === "ask")
            expect(lineage.has(byK, String(at.k))).toBe(
              lineage.attended("local:read").some(({ k }) => k === at.k),
            );
        }
      }),
    );
  });
});
