import type { ManualClock } from "@agentpool/core";
import { type Journal, type JournalEntry, manualClock } from "@agentpool/core";

/** A journal in memory, which keeps entries as a file would: as JSON. */
export interface MemoryJournal extends Journal {
  /** What is on record: what was, and what was added. */
  readonly entries: readonly JournalEntry[];
  /** How many entries are durable. */
  readonly durable: number;
}

export interface MemoryOptions extends Partial<Journal> {
  /**
   * Entries become durable some time after they were flushed, as in a store: who flushes at about the same time shares a
   * write, one write is done after the other, and where nothing is left there is nothing to wait for.
   */
  readonly late?: boolean;
  /** Called before each write of a late one: it may take its time, or fail. */
  readonly write?: () => void | Promise<void>;
}

export function memoryJournal(
  recorded: readonly JournalEntry[] = [],
  { late = false, write, ...more }: MemoryOptions = {},
): MemoryJournal {
  const entries = [...recorded];
  let durable = entries.length;
  /** What is being written, and what comes after it. */
  let writing: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  /** How many entries those two cover. */
  let taken = durable;

  async function writeNext(after: Promise<void> | undefined): Promise<void> {
    await after;
    await Promise.resolve(); // who flushes until now is written too
    writing = next;
    next = undefined;
    taken = entries.length;
    const length = taken;
    await write?.();
    durable = length;
    if (!next) writing = undefined;
  }

  return {
    recorded,
    ...more,
    entries,
    get durable() {
      return durable;
    },
    append(entry) {
      entries.push(JSON.parse(JSON.stringify(entry)) as JournalEntry);
    },
    flush() {
      if (!late) durable = entries.length;
      if (durable === entries.length) return undefined;
      if (taken === entries.length && writing) return writing;
      next ??= writeNext(writing);
      return next;
    },
  };
}

/** Time as it stands at the end of a record. */
export const clockAfter = (entries: readonly JournalEntry[]): ManualClock =>
  manualClock(entries.at(-1)?.at ?? 0);
