import type { JournalEntry } from "@agentpool/core";
import { isRunEntry, type Store } from "@agentpool/journal";
import type { Operation } from "effection";
import { beginningOf, type RunSettings } from "../record/run-settings.ts";

/** What a run was started with, and what happened in its pools. */
export interface RecordedRun {
  readonly settings: RunSettings;
  readonly entries: readonly JournalEntry[];
}

/** Throws a `UsageError` for a run that a program of somebody's own recorded: only that can replay it. */
export function* recordedRun(store: Store, run: string): Operation<RecordedRun> {
  const record = yield* store.record(run);
  const { settings } = beginningOf(run, record);
  return { settings, entries: record.filter((entry): entry is JournalEntry => !isRunEntry(entry)) };
}
