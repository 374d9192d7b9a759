import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { interventions, worlds } from "./arbitrary.ts";
import { play } from "./drive.ts";
import { violations } from "./invariants.ts";

/** Worlds per property. `AGENTPOOL_WORLDS=5000 npm test -- test/simulation` plays more. */
const numRuns = Number(process.env.AGENTPOOL_WORLDS ?? 300);

describe("in random cohorts on a clock driven by hand", () => {
  it("there is something of everything: approvals given, refused and never decided, restarts, rewrites, clients, parks, scarce memory", async () => {
    const seen = new Set<string>();
    for (const world of fc.sample(worlds, { numRuns: 40, seed: 11 }))
      for (const event of (await play(world)).witness.events) {
        seen.add(event.type);
        if (event.type === "approval:decided") seen.add(event.decision.type);
        if (event.type === "call:parked") seen.add(event.reason);
        if (event.type === "agent:state" && event.reason !== undefined) seen.add(event.reason);
      }
    expect([...seen]).toEqual(
      expect.arrayContaining([
        ...["approved", "denied", "approval:void", "approval", "client", "retry", "equal_call", "room"],
        ...["turn:restarted", "call:discarded", "call:rewritten", "call:withdrawn", "call:refused"],
      ]),
    );
  }, 600_000);

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
