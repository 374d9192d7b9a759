import type { PoolEvent } from "./event.ts";

/** One entry of a run's record: what happened, in the run's one total order. */
export type JournalEntry = PoolEvent;

/**
 * Where a run is recorded. The record is fail-closed: an error of `append` or `flush` ends the run, since what is not
 * on record must not execute.
 */
export interface Journal {
  /** What earlier processes recorded of this run, in order; empty for a new one. */
  readonly recorded: readonly JournalEntry[];
  /** Takes the next entry. Entries become durable in this order: what is flushed is a prefix of it. */
  append(entry: JournalEntry): void;
  /** Everything appended so far is durable, at once (undefined) or when the promise resolves. */
  flush(): PromiseLike<void> | undefined;
}
