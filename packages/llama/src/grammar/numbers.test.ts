import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matches, parseGbnf, textOf } from "./gbnf.testing.ts";
import { integer, real } from "./numbers.ts";

const grammarOf = (body: string) => parseGbnf(`root ::= ${body}`);
const random = (seed: number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

describe("a grammar of whole numbers", () => {
  it("has every number of its range and no other", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1_200, max: 1_200 }), fc.nat(1_500), (least, width) => {
        const most = least + width;
        const grammar = grammarOf(integer({ least, most }));
        for (const number of [
          least,
          most,
          least + 1,
          most - 1,
          Math.trunc((least + most) / 2),
          0,
          -1,
          1,
          9,
          10,
          99,
          100,
        ])
          expect(matches(grammar, String(number)), `${number} in ${least}…${most}`).toBe(
            number >= least && number <= most,
          );
        expect(matches(grammar, String(least - 1))).toBe(false);
        expect(matches(grammar, String(most + 1))).toBe(false);
      }),
    );
  });

  it("goes on where there is no bound, as far as JSON holds numbers exactly", () => {
    const any = grammarOf(integer({ least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY }));
    for (const number of ["0", "7", "-7", "123456789012345", "-123456789012345"])
      expect(matches(any, number)).toBe(true);
    for (const text of ["-0", "007", "1e3", "1.0", "", "1234567890123456"])
      expect(matches(any, text)).toBe(false);
    const atLeast = grammarOf(integer({ least: 18, most: Number.POSITIVE_INFINITY }));
    expect(["17", "18", "99", "100", "5000"].map((number) => matches(atLeast, number))).toEqual([
      false,
      true,
      true,
      true,
      true,
    ]);
    const atMost = grammarOf(integer({ least: Number.NEGATIVE_INFINITY, most: -18 }));
    expect(["-17", "-18", "-99", "-100", "0"].map((number) => matches(atMost, number))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });
});

describe("a grammar of numbers", () => {
  it("has only numbers of its range", () => {
    const bound = fc.double({ min: -50, max: 50, noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(bound, fc.double({ min: 0, max: 30, noNaN: true }), fc.nat(), (least, width, seed) => {
        const most = least + width;
        const number = Number(textOf(grammarOf(real({ least, most })), random(seed)));
        expect(number).toBeGreaterThanOrEqual(least);
        expect(number).toBeLessThanOrEqual(most);
      }),
    );
  });

  it("has decimals, also of shares", () => {
    const share = grammarOf(real({ least: 0, most: 1 }));
    expect(
      ["0", "1", "0.5", "0.000001", "1.0", "-0.5", "1.5"].map((number) => matches(share, number)),
    ).toEqual([true, true, true, true, false, false, false]);
    const any = grammarOf(real({ least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY }));
    expect(["3.25", "-3.25", "0.1", "-0.1", "1e9"].map((number) => matches(any, number))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });
});
