import { type Operation, until } from "effection";
import type { RedactSecrets } from "../decisions/redact-secrets.ts";
import type { Engine, Reader } from "../engine/engine.ts";
import type { StoredEntry } from "../values/entry.ts";
import type { RunExport, RunSummary, RunView } from "../values/views.ts";
import { findRun, listRuns } from "./list-runs.ts";
import { type JournalOptions, openJournal, type RunJournal } from "./open-journal.ts";
import { type PruneOptions, pruneRuns } from "./prune-runs.ts";
import { readRecord } from "./read-record.ts";
import { showRun } from "./show-run.ts";
import { StoredApprovals } from "./stored-approvals.ts";

export interface StoreParts {
  readonly engine: Engine;
  readonly redact: RedactSecrets;
  readonly now: () => number;
}

/** Runs on record. Whatever takes a run takes its id. */
export class Store {
  readonly #parts: StoreParts;
  /** What waits for people, in all runs. */
  readonly approvals: StoredApprovals;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.approvals = new StoredApprovals(parts);
  }

  /** Newest first. Default: all. */
  runs({ limit = Number.MAX_SAFE_INTEGER }: { readonly limit?: number } = {}): Operation<RunSummary[]> {
    return this.#read((reader, now) => listRuns(reader, now, limit));
  }

  /** The id of the run that somebody means: `latest`, an id, or how one begins. Throws `UnknownRunError`. */
  find(meant: string): Operation<string> {
    return this.#read((reader) => findRun(reader, meant));
  }

  /** Everything on record of a run: its agents with their turns and calls, what was refused, asked and read. */
  show(run: string): Operation<RunView> {
    return this.#read((reader, now) => showRun(reader, run, now));
  }

  /** The entries of a run, in order. */
  record(run: string): Operation<StoredEntry[]> {
    return this.#read((reader) => readRecord(reader, run));
  }

  /** Both of a run, as they stood at one moment: its entries, and what its tables make of them. */
  export(run: string): Operation<RunExport> {
    return this.#read(async (reader, now) => ({
      view: await showRun(reader, run, now),
      entries: await readRecord(reader, run),
    }));
  }

  /** Takes old runs off the record, and gives those it took. What is running, waits for people or is taken up meanwhile stays. */
  prune(options: PruneOptions): Operation<RunSummary[]> {
    const { engine, now } = this.#parts;
    return lazily(() => pruneRuns(engine, options, now));
  }

  /** Who reads never sees half of what was written together. */
  #read<T>(read: (reader: Reader, now: number) => Promise<T>): Operation<T> {
    const { engine, now } = this.#parts;
    return lazily(() => engine.snapshot((reader) => read(reader, now())));
  }

  /**
   * The journal of a run, new or not, for one process at a time: throws `LeaseError` while another has it. A resource:
   * with its scope the rest is written, and others may have the run.
   */
  journal(run: string, options: JournalOptions = {}): Operation<RunJournal> {
    return openJournal(this.#parts, run, options);
  }
}

/** Begun when it is yielded, and again each time. */
const lazily = <T>(begin: () => Promise<T>): Operation<T> => ({
  *[Symbol.iterator]() {
    return yield* until(begin());
  },
});
