import { type ExtractiveWeights, extractiveFeatures } from "@agentpool/models";
import { expect, test } from "vitest";
import { heldOutWeights } from "../held-out.ts";
import type { Example } from "./examples.ts";
import { fitWeights } from "./fit.ts";
import { folding } from "./folding.ts";
import { minimise } from "./minimise.ts";

test("the lowest point of a bowl is found", () => {
  const found = minimise(([x = 0, y = 0], slope) => {
    slope[0] = 2 * (x - 3);
    slope[1] = 20 * (y + 1);
    return (x - 3) ** 2 + 10 * (y + 1) ** 2;
  }, new Float64Array(2));
  expect(found[0]).toBeCloseTo(3, 3);
  expect(found[1]).toBeCloseTo(-1, 3);
});

test("the feature that tells answers apart is worth most, one that misleads least", () => {
  const row = (telling: number, misleading: number): number[] =>
    extractiveFeatures.map((_, at) => (at === 0 ? telling : at === 1 ? misleading : 0.5));
  const example: Example = {
    question: { id: "1", question: "Who?", answers: ["x"], doc: "a.md" },
    features: Float64Array.from([...row(1, 0), ...row(0, 1), ...row(0, 1)]),
    holds: [true, false, false],
  };
  const fitted = Object.values(fitWeights([example]));
  expect(Math.max(...fitted)).toBe(fitted[0]);
  expect(Math.min(...fitted)).toBe(fitted[1]);
});

test("each article is in one half, and is asked about with weights that did not see it", () => {
  const articles = ["d.md", "a.md", "c.md", "b.md"];
  expect(folding(articles)).toEqual([
    ["a.md", "c.md"],
    ["b.md", "d.md"],
  ]);
  expect(folding(articles, 1).flat().sort()).toEqual([...articles].sort());
  const weightsOf = (value: number): ExtractiveWeights =>
    Object.fromEntries(extractiveFeatures.map((name) => [name, value])) as ExtractiveWeights;
  const [first, second, shipped] = [weightsOf(1), weightsOf(2), weightsOf(3)];
  const weightsFor = heldOutWeights(
    [
      { heldOut: ["a.md"], weights: first },
      { heldOut: ["b.md"], weights: second },
    ],
    shipped,
  );
  expect([weightsFor("a.md"), weightsFor("b.md"), weightsFor("new.md")]).toEqual([first, second, shipped]);
});
