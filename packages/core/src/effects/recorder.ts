import { type Operation, suspend, until } from "effection";
import { reasonOf } from "../decisions/reason.ts";
import { Recorded } from "../decisions/recorded.ts";
import type { ApprovalDecision } from "../values/approval.ts";
import { ConfigurationError, JournalError } from "../values/errors.ts";
import type { Journal, JournalEntry } from "../values/journal.ts";
import { Wait } from "./wait.ts";

/** Something that a journal promised to write. */
interface Write {
  readonly promised: PromiseLike<void>;
  /** The same without its failure, which is told to everyone. */
  readonly over: Promise<void>;
  /** Who waits for it, woken together. Undefined: it is over. */
  waiting: Set<() => void> | undefined;
}

/**
 * A run's record as it is read and written: what was recorded, and where the next entry goes.
 *
 * The record is fail-closed. After its first failure nothing is taken any more, whoever waits for it waits until the
 * run, which is told, has ended.
 */
export class Recorder {
  readonly journal: Journal;
  readonly recorded: Recorded;
  readonly #failed = new Set<(error: JournalError) => void>();
  /** Keys of top pools and of a harness's own steps that this process has begun: a key names one. */
  readonly #begun = new Set<string>();
  #error: JournalError | undefined;
  /** What the journal promised last, over or not; undefined: that nothing was left to write. */
  #write: Write | undefined;

  private constructor(journal: Journal) {
    this.journal = journal;
    this.recorded = new Recorded(journal.recorded);
  }

  /** The one of a journal, which several top pools and steps of a job may share. */
  static of(journal: Journal): Recorder {
    let recorder = recorders.get(journal);
    if (!recorder) {
      recorder = new Recorder(journal);
      recorders.set(journal, recorder);
    }
    return recorder;
  }

  /** Notes that something with this key begins. Throws where something did already. */
  begin(what: string, key: string, at: { readonly run: string; readonly at: number }): void {
    if (this.#begun.size === 0) this.add({ type: "record:begun", ...at });
    if (this.#begun.has(`${what} ${key}`))
      throw new ConfigurationError(
        `key: there was a ${what} "${key}" in this run already; on record they are told apart by their keys: give this one another.`,
      );
    this.#begun.add(`${what} ${key}`);
  }

  add(entry: JournalEntry): void {
    if (this.#error) return;
    try {
      this.journal.append(entry);
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * Makes durable what was added. Wait for it where it has to be durable before something else happens; undefined: it
   * is. Where it fails, who waits is ended with the run.
   */
  flush(): Operation<void> | undefined {
    const write = this.#flush();
    if (this.#error) return suspend();
    return write && this.#wait(write);
  }

  /**
   * Has what was added written soon. Nobody has to wait for that, unless the record has failed: who waits then is ended
   * with the run. Undefined: it has not.
   */
  flushSoon(): Operation<void> | undefined {
    this.#flush();
    return this.#error && suspend();
  }

  /** Makes durable what was added outside of pools, where nothing ends who waits: throws {@link JournalError} where it fails. */
  *settle(): Operation<void> {
    const write = this.#flush();
    if (write) yield* until(write.over);
    if (this.#error) throw this.#error;
  }

  /** Which decision stands. */
  *decide(approval: string, decision: ApprovalDecision): Operation<ApprovalDecision> {
    if (!this.journal.decide) return decision;
    try {
      const stands = this.journal.decide(approval, decision);
      return "then" in stands ? yield* until(Promise.resolve(stands)) : stands;
    } catch (error) {
      this.#fail(error);
      yield* suspend();
      return decision;
    }
  }

  /** Calls `fail` should the record fail; returns how to take that back. */
  onFailure(fail: (error: JournalError) => void): () => void {
    if (this.#error) fail(this.#error);
    this.#failed.add(fail);
    return () => this.#failed.delete(fail);
  }

  #flush(): Write | undefined {
    if (this.#error) return undefined;
    try {
      const promised = this.journal.flush();
      if (promised !== this.#write?.promised) this.#write = promised && this.#watch(promised);
      return this.#write;
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  #watch(promised: PromiseLike<void>): Write {
    const over = Promise.resolve(promised)
      .catch((error: unknown) => this.#fail(error))
      .then(() => {
        const { waiting } = write;
        write.waiting = undefined;
        for (const wake of waiting!) wake();
      });
    const write: Write = { promised, over, waiting: new Set() };
    return write;
  }

  *#wait(write: Write): Operation<void> {
    // who was told to wait may begin to when it is over
    const { waiting } = write;
    if (waiting)
      yield* new Wait<void>((resolve) => {
        waiting.add(resolve);
        return () => waiting.delete(resolve);
      });
    if (this.#error) yield* suspend();
  }

  #fail(error: unknown): void {
    if (this.#error) return;
    this.#error = new JournalError(
      `The run could not be put on record, and was ended: ${reasonOf(error).replace(/\.$/, "")}. What is on record stands; take it up from there.`,
      { cause: error },
    );
    for (const fail of [...this.#failed]) fail(this.#error);
  }
}

const recorders = new WeakMap<Journal, Recorder>();
