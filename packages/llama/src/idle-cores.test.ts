import { availableParallelism } from "node:os";
import { expect, it } from "vitest";
import { idleCores } from "./idle-cores.ts";
import { checkedSettings } from "./settings.ts";

it("leaves the cores that are busy to whoever uses them, and takes one in any case", () => {
  expect(idleCores(8, 0)).toBe(8);
  expect(idleCores(8, 0.3)).toBe(8);
  expect(idleCores(8, 2.6)).toBe(5);
  expect(idleCores(2, 9)).toBe(1);
  expect(idleCores()).toBeLessThanOrEqual(availableParallelism());
});

it("gives a model its threads where nobody says how many", () => {
  expect(checkedSettings({}, () => 3).threads).toBe(3);
  expect(checkedSettings({ threads: 7 }, () => 3).threads).toBe(7);
});
