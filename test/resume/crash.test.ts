import type { AgentPoolOptions, JournalEntry } from "@agentpool/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leisurely } from "../scenarios/leisurely.ts";
import { interventions, worlds } from "../simulation/arbitrary.ts";
import { type Intervention, type Played, play } from "../simulation/drive.ts";
import { violations } from "../simulation/invariants.ts";
import type { World } from "../simulation/world.ts";
import { recordViolations, resumeViolations } from "./invariants.ts";
import { clockAfter, memoryJournal } from "./memory-journal.ts";

/** Worlds per property. `AGENTPOOL_WORLDS=1000 npm test -- test/resume` plays more. */
const numRuns = Number(process.env.AGENTPOOL_WORLDS ?? 40);

/** Whether a record is written at once, or some time later, as by a store; and whether sessions take their time. */
interface Pace {
  readonly late: boolean;
  readonly leisure: boolean;
}

const paces: fc.Arbitrary<Pace> = fc.record({ late: fc.boolean(), leisure: fc.boolean() });

const AT_ONCE: Pace = { late: false, leisure: false };

const paced = (options: AgentPoolOptions, { leisure }: Pace): AgentPoolOptions =>
  leisure ? { ...options, model: leisurely(options.model!) } : options;

/** Plays a world, and puts it on record; what a halt leaves on it, where there is one. */
async function recordOf(
  world: World,
  intervention?: Intervention,
  pace = AT_ONCE,
): Promise<readonly JournalEntry[]> {
  const journal = memoryJournal([], pace);
  const played = await play(world, intervention, {
    adapt: (options) => ({ ...paced(options, pace), run: "r", journal }),
  });
  expect(violations(world, played)).toEqual([]);
  return journal.entries;
}

/** Takes a world up from a part of its record. */
async function takeUp(
  world: World,
  recorded: readonly JournalEntry[],
  journal = memoryJournal(recorded),
  pace = AT_ONCE,
): Promise<Played> {
  return await play(world, undefined, {
    clock: clockAfter(recorded),
    adapt: (options) => ({ ...paced(options, pace), run: "r", journal }),
  });
}

describe("a run that is taken up from any prefix of its record", () => {
  it("keeps every decision on it, repeats and loses nothing, and comes to its end", async () => {
    await fc.assert(
      fc.asyncProperty(
        worlds,
        fc.double({ min: 0, max: 1, noNaN: true }),
        paces,
        async (world, share, pace) => {
          const entries = await recordOf(world, undefined, pace);
          const prefix = entries.slice(0, Math.floor(share * (entries.length + 1)));
          const played = await takeUp(world, prefix, memoryJournal(prefix, pace), pace);
          expect([...violations(world, played), ...resumeViolations(prefix, played)]).toEqual([]);
        },
      ),
      { numRuns },
    );
  }, 600_000);

  it("and so it does however often, and whatever was done to it before", async () => {
    const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(worlds, interventions, shares, paces, async (world, intervention, shares, pace) => {
        let entries = await recordOf(world, intervention, pace);
        for (const share of shares) {
          const prefix = entries.slice(0, Math.floor(share * (entries.length + 1)));
          const other = { ...world, lat: world.lat + prefix.length + 1 }; // everything takes another time
          const journal = memoryJournal(prefix, pace);
          const played = await takeUp(other, prefix, journal, pace);
          expect([...violations(other, played), ...resumeViolations(prefix, played)]).toEqual([]);
          expect(recordViolations(journal.entries)).toEqual([]);
          entries = journal.entries;
        }
      }),
      { numRuns },
    );
  }, 600_000);

  it("and so it does from each of its entries, one after the other", async () => {
    for (const world of fc.sample(worlds, { numRuns: 3, seed: 7 })) {
      const entries = await recordOf(world);
      for (let length = 0; length <= entries.length; length++) {
        const prefix = entries.slice(0, length);
        const journal = memoryJournal(prefix, { late: length % 2 === 1 });
        const played = await takeUp(world, prefix, journal);
        expect([length, ...violations(world, played), ...resumeViolations(prefix, played)]).toEqual([length]);
      }
    }
  }, 600_000);
});
