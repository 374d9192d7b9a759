import type { DerivedTables } from "../decisions/derived-tables.ts";
import { encodeEntries, isKept } from "../decisions/encode-entries.ts";
import type { LargeParts } from "../decisions/large-texts.ts";
import type { RedactSecrets } from "../decisions/redact-secrets.ts";
import { type Engine, UnmetError } from "../engine/engine.ts";
import type { StoredEntry } from "../values/entry.ts";
import { keepLease, type Lease, lostLease } from "./lease.ts";
import { portionStatements } from "./write-portion.ts";

/** What a writer works with. */
export interface WriterOptions {
  readonly engine: Engine;
  readonly lease: Lease;
  readonly redact: RedactSecrets;
  readonly now: () => number;
  /** The run's tables as its record so far gives them, and how long that is. */
  readonly tables: DerivedTables;
  readonly length: number;
}

/**
 * Writes the entries of one run in their order. Whoever flushes at about the same time shares a transaction: one is
 * written at a time, and what comes meanwhile goes into the next. After a failure nothing more is taken.
 */
export class RecordWriter {
  readonly #options: WriterOptions;
  #length: number;
  #pending: StoredEntry[] = [];
  #known = new Set<string>();
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  #failure: Error | undefined;
  #sealed = false;
  #writing = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#length = options.length;
  }

  append(entry: StoredEntry): void {
    if (this.#failure) throw this.#failure;
    if (!this.#sealed && isKept(entry)) this.#pending.push(entry);
  }

  flush(): Promise<void> | undefined {
    if (this.#failure) throw this.#failure;
    if (this.#next) return this.#next;
    if (this.#pending.length === 0) return this.#writing ? this.#last : undefined;
    const next = this.#last.then(nextTick).then(() => {
      this.#next = undefined;
      this.#writing = true;
      return this.#write();
    });
    this.#next = next;
    this.#last = next.then(
      () => {
        this.#writing = false;
      },
      () => {},
    );
    return next;
  }

  async #write(): Promise<void> {
    if (this.#failure) throw this.#failure;
    const { engine, lease, redact, tables } = this.#options;
    const entries = this.#pending;
    this.#pending = [];
    try {
      const texts: LargeParts = new Map();
      const { entries: kept, bodies } = encodeEntries(entries, redact, texts);
      for (const entry of kept) tables.add(entry);
      for (const digest of texts.keys()) if (this.#known.has(digest)) texts.delete(digest);
      if (bodies.length === 0) return;
      const { run, owner } = lease;
      const portion = { run, owner, first: this.#length, bodies, texts, changes: tables.take() };
      await engine.write([...portionStatements(engine.name, portion)]);
      for (const digest of texts.keys()) this.#known.add(digest);
      this.#length += bodies.length;
    } catch (error) {
      this.#failure =
        error instanceof UnmetError
          ? lostLease(lease.run)
          : error instanceof Error
            ? error
            : new Error(String(error));
      throw this.#failure;
    }
  }

  /** Keeps the lease while nothing is written. */
  async renew(): Promise<void> {
    const { engine, lease, now } = this.#options;
    if (this.#failure || this.#sealed) return;
    try {
      await engine.write([keepLease(lease, now())]);
    } catch (error) {
      // a busy store gets another try at the next renewal; a lost lease ends it
      if (error instanceof UnmetError) this.#failure ??= lostLease(lease.run);
    }
  }

  /** From here on nothing more is taken; what was appended so far can still be flushed. */
  seal(): void {
    this.#sealed = true;
  }

  /** Writes what is left; from here on nothing more is taken. What could not be written was told to who flushed it. */
  async close(): Promise<void> {
    this.#sealed = true;
    if (!this.#failure) await this.flush()?.catch(() => {});
    await this.#last;
  }
}

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
