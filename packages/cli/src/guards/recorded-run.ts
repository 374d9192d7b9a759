import type { JournalEntry } from "@agentpool/core";
import { isRunEntry, type Store } from "@agentpool/journal";
import type { Operation } from "effection";
import { beginningOf, type RunSettings } from "../record/run-settings.ts";

/** What a run was started with, and what happened in its pools. */
export interface RecordedRun {
  readonly settings: RunSettings;
  readonly entries: readonly JournalEntry[];
  /** Whether it has come to its end: one that goes on has more to replay later. */
  readonly isOver: boolean;
}

/** Throws a `UsageError` for a run that a program of somebody's own recorded: only that can replay it. */
export function* recordedRun(store: Store, run: string): Operation<RecordedRun> {
  const record = yield* store.record(run);
  const { settings } = beginningOf(run, record);
  const last = record.findLast(({ type }) => type === "run:resumed" || type === "run:ended");
  return {
    settings,
    isOver: last?.type === "run:ended",
    entries: record.filter((entry): entry is JournalEntry => !isRunEntry(entry)),
  };
}
