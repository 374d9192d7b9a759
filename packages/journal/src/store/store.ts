import type { Journal, JournalEntry } from "@agentpool/core";
import { ensure, type Operation, resource, until } from "effection";
import { DerivedTables } from "../decisions/derived-tables.ts";
import type { RedactSecrets } from "../decisions/redact-secrets.ts";
import type { Engine } from "../engine/engine.ts";
import { isRunEntry, type RecordEntry, type RunEntry } from "../values/entry.ts";
import { giveLease, LEASE_MS, takeLease } from "./lease.ts";
import { readRecord } from "./read-record.ts";
import { RecordWriter } from "./record-writer.ts";

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

/** Runs on record. */
export class Store {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
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
