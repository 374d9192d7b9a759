import type { JournalEntry } from "@agentpool/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { worlds } from "../simulation/arbitrary.ts";
import { type Played, play } from "../simulation/drive.ts";
import { violations } from "../simulation/invariants.ts";
import type { World } from "../simulation/world.ts";
import { resumeViolations } from "./invariants.ts";
import { clockAfter, memoryJournal } from "./memory-journal.ts";

/** Worlds per property. `AGENTPOOL_WORLDS=1000 npm test -- test/resume` plays more. */
const numRuns = Number(process.env.AGENTPOOL_WORLDS ?? 40);

/** Plays a world, and puts it on record. */
async function recordOf(world: World): Promise<readonly JournalEntry[]> {
  const journal = memoryJournal();
  const played = await play(world, undefined, { adapt: (options) => ({ ...options, run: "r", journal }) });
  expect(violations(world, played)).toEqual([]);
  return journal.entries;
}

/** Takes a world up from a part of its record. */
async function takeUp(world: World, recorded: readonly JournalEntry[]): Promise<Played> {
  const journal = memoryJournal(recorded);
  return await play(world, undefined, {
    clock: clockAfter(recorded),
    adapt: (options) => ({ ...options, run: "r", journal }),
  });
}

describe("a run that is taken up from any prefix of its record", () => {
  it("keeps every decision on it, repeats and loses nothing, and comes to its end", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, fc.double({ min: 0, max: 1, noNaN: true }), async (world, share) => {
        const entries = await recordOf(world);
        const prefix = entries.slice(0, Math.floor(share * (entries.length + 1)));
        const played = await takeUp(world, prefix);
        expect([...violations(world, played), ...resumeViolations(prefix, played)]).toEqual([]);
      }),
      { numRuns },
    );
  }, 600_000);

  it("and so it does from each of its entries, one after the other", async () => {
    for (const world of fc.sample(worlds, { numRuns: 4, seed: 7 })) {
      const entries = await recordOf(world);
      for (let length = 0; length <= entries.length; length++) {
        const prefix = entries.slice(0, length);
        const played = await takeUp(world, prefix);
        expect([length, ...violations(world, played), ...resumeViolations(prefix, played)]).toEqual([length]);
      }
    }
  }, 600_000);
});
