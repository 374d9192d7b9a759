import { expect, it } from "vitest";
import { withDefaults } from "../values/budget.ts";
import { affords, nothingSpent, passed, spentBy } from "./spend.ts";

it("a turn is affordable only with the report after it", () => {
  const budget = withDefaults({ maxTokens: 100 });
  const next = { tokens: 30, cost: 0 };
  const at = (spent: number, reserved = 0) =>
    affords(budget, { tokens: spent, cost: 0 }, { tokens: reserved, cost: 0 }, next);
  expect([at(0), at(40), at(41), at(70), at(71), at(10, 40)]).toEqual([
    "turn",
    "turn",
    "report",
    "report",
    "nothing",
    "report",
  ]);
  expect(affords(withDefaults({}), nothingSpent, nothingSpent, { tokens: 1e12, cost: 1e12 })).toBe("turn");
});

it("cached input has a price of its own", () => {
  const usage = { input: 1_000_000, output: 1_000_000, cached: 500_000 };
  expect(spentBy(usage, { input: 2, output: 10, cached: 0.2 })).toEqual({ tokens: 2_000_000, cost: 11.1 });
  expect(spentBy(usage, undefined).cost).toBe(0);
});

it("each share of a limit is passed once", () => {
  expect(passed(0, 49, 100)).toEqual([]);
  expect(passed(49, 80, 100)).toEqual([0.5, 0.75]);
  expect(passed(80, 200, 100)).toEqual([0.9]);
});
