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

/** Entries that are written at once, where nothing is being written: the store works while more come. */
const LEAST = 64;
/** Entries after which another transaction begins: who waits for the first of many goes on soon. */
const MOST = 256;

/** Entries that are written together, and who waits for it. */
interface Pending {
  readonly entries: StoredEntry[];
  readonly written: Promise<void>;
  isFlushed: boolean;
  /** What comes goes into the next. */
  isFull: boolean;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Writes the entries of one run in their order. Whoever flushes at about the same time shares a transaction: one is
 * written at a time, and what comes meanwhile goes into the next. After a failure nothing more is taken.
 */
export class RecordWriter {
  readonly #options: WriterOptions;
  #length: number;
  readonly #known = new Set<string>();
  /** In the order they are to be written. */
  readonly #pending: Pending[] = [];
  /** What is being written; undefined: nothing. */
  #writing: Promise<void> | undefined;
  #scheduled = false;
  #failure: Error | undefined;
  #sealed = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#length = options.length;
  }

  append(entry: StoredEntry): void {
    if (this.#failure) throw this.#failure;
    if (this.#sealed || !isKept(entry)) return;
    let last = this.#pending.at(-1);
    if (!last || last.isFull) {
      last = pending();
      this.#pending.push(last);
    }
    last.entries.push(entry);
  }

  flush(): Promise<void> | undefined {
    if (this.#failure) throw this.#failure;
    const last = this.#pending.at(-1);
    if (!last) return this.#writing;
    last.isFlushed = true;
    // here and nowhere else, so that what an agent flushes together stays together
    last.isFull = last.entries.length >= MOST;
    if (this.#pending[0]!.entries.length >= LEAST) this.#begin();
    else this.#schedule();
    return last.written;
  }

  /** Who flushes until the tick is over is written together. */
  #schedule(): void {
    if (this.#scheduled || this.#writing) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#begin();
    });
  }

  #begin(): void {
    const next = this.#pending[0];
    if (this.#writing || !next?.isFlushed) return;
    this.#pending.shift();
    this.#writing = next.written;
    const over = (): void => {
      this.#writing = undefined;
      this.#begin();
    };
    this.#write(next.entries).then(
      () => {
        over();
        next.resolve();
      },
      (error: unknown) => {
        over();
        next.reject(error);
      },
    );
  }

  async #write(entries: readonly StoredEntry[]): Promise<void> {
    if (this.#failure) throw this.#failure;
    const { engine, lease, redact, tables } = this.#options;
    try {
      const texts: LargeParts = new Map();
      const { entries: kept, body } = encodeEntries(entries, redact, texts);
      for (const entry of kept) tables.add(entry);
      const { run, owner } = lease;
      const count = kept.length;
      const [first, known] = [this.#length, this.#known];
      const portion = { run, owner, first, count, body, texts, known, changes: tables.take() };
      await engine.write([...portionStatements(engine.name, portion)]);
      this.#length += count;
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

  /** Writes what is left; from here on nothing more is taken. Throws where that fails, and nobody flushed it who is told. */
  async close(): Promise<void> {
    this.#sealed = true;
    const isTold = this.#pending.at(-1)?.isFlushed ?? true;
    if (!this.#failure)
      await this.flush()?.catch((error: unknown) => {
        if (!isTold) throw error;
      });
    await this.#writing?.catch(() => {});
  }
}

function pending(): Pending {
  let settle: Pick<Pending, "resolve" | "reject">;
  const written = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // who flushed is told; that nobody did is no error
  written.catch(() => {});
  return { entries: [], written, isFlushed: false, isFull: false, ...settle! };
}
