import fc from "fast-check";
import { expect, it } from "vitest";
import { copy, frozenCopy } from "./copy.ts";

it("a copy equals its original and shares nothing that can be changed", () => {
  fc.assert(
    fc.property(
      fc.jsonValue().filter((value) => !JSON.stringify(value).includes("__proto__")),
      (value) => {
        const clone = copy(value);
        expect(clone).toEqual(value);
        if (typeof value === "object" && value !== null) expect(clone).not.toBe(value);
      },
    ),
  );
});

it("a copy never carries a prototype that the data brought", () => {
  const hostile = JSON.parse('{"a":1,"__proto__":{"admin":true}}');
  const clone = copy(hostile) as Record<string, unknown>;
  expect(clone).toEqual({ a: 1 });
  expect(clone.admin).toBeUndefined();
});

it("a frozen copy cannot be changed at any depth, and its original can", () => {
  const original = { list: [{ n: 1 }] };
  const frozen = frozenCopy(original);
  expect(() => Object.assign(frozen.list[0]!, { n: 2 })).toThrow(TypeError);
  original.list[0]!.n = 2;
  expect(frozen.list[0]!.n).toBe(1);
});
