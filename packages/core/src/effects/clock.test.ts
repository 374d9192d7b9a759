import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { manualClock, systemClock } from "./clock.ts";

describe("a clock driven by hand", () => {
  it("fires what falls due in order of time, then of entry, whatever was taken back", () => {
    const entries = fc.array(fc.record({ at: fc.nat(50), keep: fc.boolean() }), { maxLength: 40 });
    fc.assert(
      fc.property(entries, (all) => {
        const clock = manualClock();
        const fired: number[] = [];
        const cancels = all.map(({ at }, index) => clock.at(at, () => fired.push(index)));
        for (const [index, { keep }] of all.entries()) if (!keep) cancels[index]!();
        clock.advance(100);
        const kept = all.map(({ at }, index) => ({ at, index })).filter(({ index }) => all[index]!.keep);
        expect(fired).toEqual(
          kept.sort((a, b) => a.at - b.at || a.index - b.index).map(({ index }) => index),
        );
        expect(clock.pending).toBe(0);
      }),
    );
  });

  it("never goes back", () => {
    const clock = manualClock(10);
    clock.at(5, () => {});
    clock.step();
    expect(clock.now()).toBe(10);
  });
});

it("a system clock has a timer while something waits, and none afterwards", () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const clock = systemClock();
  const cancels = [1e6, 2e6, 1e9 * 1e4].map((ms) => clock.at(clock.now() + ms, () => {}));
  expect(timers()).toBe(before + 1);
  for (const cancel of cancels) cancel();
  expect(timers()).toBe(before);
});
