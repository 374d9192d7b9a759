import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toJson } from "./result.ts";

describe("a result as JSON", () => {
  it("is what JSON makes of it, whatever it is", () => {
    const values = fc.anything({
      withDate: true,
      withNullPrototype: true,
      withSparseArray: true,
      maxDepth: 12,
    });
    const strange = fc.oneof(
      values,
      fc.constant(JSON.parse('{ "__proto__": { "a": 1 }, "b": [-0, 2] }')),
      fc.record({
        at: fc.date({ noInvalidDate: true }),
        none: fc.constant(undefined),
        zero: fc.constant(-0),
      }),
      fc.record({ deep: fc.array(values), self: fc.constant({ toJSON: () => "itself" }) }),
    );
    fc.assert(
      fc.property(strange, (value) => {
        let text: string | undefined;
        try {
          text = JSON.stringify(value);
        } catch {
          expect(() => toJson(value)).toThrow(TypeError);
          return;
        }
        if (value === undefined) expect(toJson(value)).toBe(null);
        else if (text === undefined || (typeof value === "number" && !Number.isFinite(value)))
          expect(() => toJson(value)).toThrow(TypeError);
        else expect(toJson(value)).toStrictEqual(JSON.parse(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it("is a copy: what its tool does with the value afterwards is not in it", () => {
    const value = { list: [{ a: 1 }] };
    const json = toJson(value);
    value.list[0]!.a = 2;
    expect(json).toEqual({ list: [{ a: 1 }] });
  });

  it("is an error where the value goes round in circles", () => {
    const value: Record<string, unknown> = { list: [] };
    value.self = [value];
    expect(() => toJson(value)).toThrow(TypeError);
  });
});
