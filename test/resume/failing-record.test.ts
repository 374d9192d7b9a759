import { type JournalEntry, JournalError, type ManualClock, manualClock } from "@agentpool/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { interventions, worlds } from "../simulation/arbitrary.ts";
import { play } from "../simulation/drive.ts";
import { leftovers, violations } from "../simulation/invariants.ts";
import { resumeViolations } from "./invariants.ts";
import { clockAfter, memoryJournal } from "./memory-journal.ts";

/** Worlds per property. `AGENTPOOL_WORLDS=1000 npm test -- test/resume` plays more. */
const numRuns = Number(process.env.AGENTPOOL_WORLDS ?? 60);

/** A journal whose writes take their time on a clock, and fail from one of them on. */
function struggling(clock: ManualClock, pace: (write: number) => number, failsAt: number) {
  let writes = 0;
  let under = 0;
  const journal = memoryJournal([], {
    late: true,
    async write() {
      const ms = pace(++writes);
      under++;
      if (ms > 0) await new Promise<void>((resolve) => clock.at(clock.now() + ms, resolve));
      under--;
      if (writes >= failsAt) throw new Error("disk full");
    },
  });
  return {
    journal,
    /** How many writes are under way: each has a timer of its own. */
    get under() {
      return under;
    },
    get hasFailed() {
      return under === 0 && writes >= failsAt;
    },
  };
}

/** Whether an entry says that an attempt of a call is about to execute. */
const intends =
  (call: string, attempt: number) =>
  (entry: JournalEntry): boolean =>
    (entry.type === "call:dispatched" ||
      entry.type === "record:intent" ||
      entry.type === "record:executing") &&
    entry.call === call &&
    entry.attempt === attempt;

describe("a run whose record is slow, and fails at any of its writes", () => {
  it("ends with that, whatever is done to it, leaves nothing behind, and is taken up from what is durable", async () => {
    const paces = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 400 })), {
      minLength: 1,
      maxLength: 8,
    });
    const counts = { failed: 0, whole: 0 };
    await fc.assert(
      fc.asyncProperty(
        worlds,
        interventions,
        paces,
        fc.integer({ min: 1, max: 120 }),
        async (world, intervention, paces, failsAt) => {
          const clock = manualClock();
          const record = struggling(clock, (write) => paces[write % paces.length]!, failsAt);
          const { journal } = record;
          const unrecorded: string[] = [];
          const played = await play(world, intervention, {
            clock,
            adapt: (options) => ({
              ...options,
              run: "r",
              journal,
              tools: options.tools!.map((tool) => ({
                ...tool,
                execute(args, ctx) {
                  if (!journal.entries.slice(0, journal.durable).some(intends(ctx.id, ctx.attempt)))
                    unrecorded.push(ctx.id);
                  return tool.execute(args, ctx);
                },
              })),
            }),
          });
          expect(unrecorded).toEqual([]);
          counts[record.hasFailed ? "failed" : "whole"]++;
          if (played.end === "failed") expect(played.error).toBeInstanceOf(JournalError);
          else expect(played.end).toBe(intervention.type === "halt" ? played.end : "done");
          expect(played.end).not.toBe("stuck");
          if (record.hasFailed && played.end !== "halted") expect(played.end).toBe("failed");
          const left = [...leftovers(played)];
          expect(left.filter((text) => text !== `${record.under} timers are left`)).toEqual([]);

          const prefix = journal.entries.slice(0, journal.durable);
          const again = await play(world, undefined, {
            clock: clockAfter(prefix),
            adapt: (options) => ({ ...options, run: "r", journal: memoryJournal(prefix) }),
          });
          expect([...violations(world, again), ...resumeViolations(prefix, again)]).toEqual([]);
        },
      ),
      { numRuns },
    );
    expect(counts.failed).toBeGreaterThan(0);
    expect(counts.whole).toBeGreaterThan(0);
  }, 600_000);
});
