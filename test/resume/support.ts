import { type JournalEntry, type Message, type PoolEvent, parallel, reportTool } from "@agentpool/core";
import { type Operation, scoped } from "effection";
import { finish, open, quiet, type Rig, type RigOptions } from "../scenarios/support.ts";
import { clockAfter, type MemoryJournal, memoryJournal } from "./memory-journal.ts";

/** A pool of one that ends with a report, but for what is given. */
export const pool = (options: Partial<RigOptions> & Pick<RigOptions, "model">): RigOptions => ({
  run: "r",
  terminal: reportTool,
  orchestrate: parallel(["look"]),
  ...options,
});

/** Runs a pool until an event at which its process goes away, and returns what is on record then. */
export function* crash(
  options: RigOptions,
  at: (event: PoolEvent) => boolean,
  drive: (rig: Rig) => Operation<void> = step,
): Operation<readonly JournalEntry[]> {
  const journal = memoryJournal(options.journal?.recorded);
  let left: readonly JournalEntry[] | undefined;
  yield* scoped(function* () {
    const rig = yield* open({
      ...options,
      journal,
      clock: options.clock ?? clockAfter(journal.recorded),
      onEvent: (event) => {
        if (!event.past && at(event)) left ??= [...journal.entries];
      },
    });
    for (let turn = 0; left === undefined; turn++) {
      if (turn > 1_000) throw new Error("the pool never came there");
      if ("error" in rig.outcome) throw rig.outcome.error;
      if (rig.outcome.result) throw new Error("the pool came to its end before");
      yield* drive(rig);
      yield* quiet;
    }
  });
  return left!;
}

function* step({ clock }: Rig): Operation<void> {
  clock.step();
}

/** A run that was taken up, to its end or as far as it comes. */
export type Resumed = Rig & { readonly journal: MemoryJournal };

/** Takes a run up from its record, and lets it come as far as it can. */
export function* takeUp(
  options: RigOptions,
  recorded: readonly JournalEntry[],
  more: Parameters<typeof memoryJournal>[1] = {},
): Operation<Resumed> {
  const journal = memoryJournal(recorded, more);
  const rig = yield* open({ ...options, journal, clock: options.clock ?? clockAfter(recorded) });
  return { ...rig, journal };
}

/** Takes a run up from its record, to its end. */
export function* resume(
  options: RigOptions,
  recorded: readonly JournalEntry[],
  more: Parameters<typeof memoryJournal>[1] = {},
) {
  const rig = yield* takeUp(options, recorded, more);
  const result = yield* finish(rig);
  return { ...rig, result };
}

/** An event of a kind, about a call or an agent where one is named. */
export const on =
  <T extends PoolEvent["type"]>(type: T, about?: string) =>
  (event: PoolEvent): boolean =>
    event.type === type &&
    (about === undefined ||
      ("call" in event && event.call === about) ||
      ("agent" in event && event.agent === about));

/**
 * What a model was shown, but for the ids that it gave to its calls: a model that is new with its process does not count
 * those of steps that were sent back before.
 */
export const shown = (messages: readonly Message[]): string =>
  JSON.stringify(messages).replaceAll(/call_\d+/g, "call");

/** What happened since it was taken up. */
export const since = (events: readonly PoolEvent[]): PoolEvent[] => events.filter((event) => !event.past);
