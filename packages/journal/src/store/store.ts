import type { Journal, JournalEntry } from "@agentpool/core";
import { ensure, type Operation, resource, until } from "effection";
import { DerivedTables } from "../decisions/derived-tables.ts";
import type { RedactSecrets } from "../decisions/redact-secrets.ts";
import type { Engine } from "../engine/engine.ts";
import { isRunEntry, type RecordEntry, type RunEntry } from "../values/entry.ts";
import type { RunSummary, RunView } from "../values/views.ts";
import { giveLease, LEASE_MS, takeLease } from "./lease.ts";
import { findRun, listRuns } from "./list-runs.ts";
import { type PruneOptions, pruneRuns } from "./prune-runs.ts";
import { readRecord } from "./read-record.ts";
import { RecordWriter } from "./record-writer.ts";
import { showRun } from "./show-run.ts";
import { StoredApprovals } from "./stored-approvals.ts";

export interface StoreParts {
  readonly engine: Engine;
  readonly redact: RedactSecrets;
  readonly now: () => number;
}

/** The journal of one run, with what only its owner may say. */
export interface RunJournal extends Journal {
  /** The whole record that was there when it was opened, the run's own entries included. */
  readonly history: readonly RecordEntry[];
  /** Takes an entry of the run itself. */
  note(entry: RunEntry): void;
  /** From here on nothing more is taken: what a halt does to the agents is not what became of them. */
  seal(): void;
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
    return this.#read((engine, now) => listRuns(engine, now, limit));
  }

  /** The id of the run that somebody means: `latest`, an id, or how one begins. Throws `UnknownRunError`. */
  find(meant: string): Operation<string> {
    return this.#read((engine) => findRun(engine, meant));
  }

  /** Everything on record of a run: its agents with their turns and calls, what was refused, asked and read. */
  show(run: string): Operation<RunView> {
    return this.#read((engine, now) => showRun(engine, run, now));
  }

  /** The entries of a run, in order. */
  record(run: string): Operation<RecordEntry[]> {
    return this.#read((engine) => readRecord(engine, run));
  }

  /** Takes old runs off the record, and gives those it took. A run that is running or waits for people stays. */
  prune(options: PruneOptions): Operation<RunSummary[]> {
    return this.#read((engine, now) => pruneRuns(engine, options, now));
  }

  #read<T>(read: (engine: Engine, now: number) => Promise<T>): Operation<T> {
    const { engine, now } = this.#parts;
    // looked up when it is yielded, and again each time
    return {
      *[Symbol.iterator]() {
        return yield* until(read(engine, now()));
      },
    };
  }

  /**
   * The journal of a run, new or not, for one process at a time: throws `LeaseError` while another has it. A resource:
   * with its scope the rest is written, and others may have the run.
   */
  journal(run: string): Operation<RunJournal> {
    const { engine, now, redact } = this.#parts;
    return resource(function* (provide) {
      const lease = yield* until(takeLease(engine, run, now));
      yield* ensure(() => until(engine.write([giveLease(lease)]).catch(() => {})));
      const history = yield* until(readRecord(engine, run));
      const tables = new DerivedTables(run);
      for (const entry of history) tables.add(entry);
      tables.take();
      const writer = new RecordWriter({ engine, lease, redact, now, tables, length: history.length });
      yield* ensure(() => until(writer.close()));
      const renewal = setInterval(() => void writer.renew(), LEASE_MS / 3);
      renewal.unref();
      try {
        yield* provide({
          recorded: history.filter((entry): entry is JournalEntry => !isRunEntry(entry)),
          history,
          append: (entry) => writer.append(entry),
          note: (entry) => writer.append(entry),
          flush: () => writer.flush(),
          seal: () => writer.seal(),
        });
      } finally {
        clearInterval(renewal);
      }
    });
  }
}
