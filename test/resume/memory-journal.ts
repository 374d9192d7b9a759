import type { ManualClock } from "@agentpool/core";
import { type Journal, type JournalEntry, manualClock } from "@agentpool/core";

/** A journal in memory, which keeps entries as a file would: as JSON. */
export interface MemoryJournal extends Journal {
  /** What is on record: what was, and what was added. */
  readonly entries: readonly JournalEntry[];
  /** How many entries are durable. */
  readonly durable: number;
}

/** `late`: entries become durable only once a promise has resolved; where all are, there is none. */
export function memoryJournal(
  recorded: readonly JournalEntry[] = [],
  { late = false, ...more }: Partial<Journal> & { readonly late?: boolean } = {},
): MemoryJournal {
  const entries = [...recorded];
  let durable = entries.length;
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
      const length = entries.length;
      if (durable === length) return undefined;
      const write = (): void => {
        durable = Math.max(durable, length);
      };
      if (late) return Promise.resolve().then(write);
      write();
      return undefined;
    },
  };
}

/** Time as it stands at the end of a record. */
export const clockAfter = (entries: readonly JournalEntry[]): ManualClock =>
  manualClock(entries.at(-1)?.at ?? 0);
