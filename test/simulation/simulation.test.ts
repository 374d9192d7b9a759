import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { interventions, worlds } from "./arbitrary.ts";
import { play } from "./drive.ts";
import { violations } from "./invariants.ts";

/** Worlds per property. `AGENTPOOL_WORLDS=5000 npm test -- test/simulation` plays more. */
const numRuns = Number(process.env.AGENTPOOL_WORLDS ?? 300);

describe("in random cohorts on a clock driven by hand", () => {
  it("nothing deadlocks, repeats, overshoots, gets lost or is left", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        expect(violations(world, await play(world))).toEqual([]);
      }),
      { numRuns },
    );
  }, 600_000);

  it("and neither does it when the pool is halted, wound down, paused or loses an agent at any step", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, interventions, async (world, intervention) => {
        expect(violations(world, await play(world, intervention))).toEqual([]);
      }),
      { numRuns },
    );
  }, 600_000);
});
