import { action, type Operation } from "effection";
import type { Kernel, Part, Sampler } from "../native/kernel.ts";
import { commonPrefix } from "./common-prefix.ts";
import { planBatch } from "./plan-batch.ts";

/** A sequence of the native side and what it holds. */
export interface Slot {
  readonly sequence: number;
  /** Changed by the engine alone, once the native side holds them. */
  tokens: number[];
}

/** Tokens of one session that wait to be computed. */
interface Advance {
  readonly slot: Slot;
  readonly tokens: readonly number[];
  done: number;
  readonly left: number;
  /** Chooses what comes next. Absent: nothing does. */
  readonly sampler: Sampler | undefined;
  resolve(token: number): void;
  reject(error: Error): void;
}

/** Something that needs the native side for itself. */
interface Exclusive {
  run(): Promise<void> | void;
  reject(error: Error): void;
}

/** Copying costs about as much as computing this many tokens. */
const worthCopying = 16;

/**
 * Owns the native side. Whatever wants something of it waits in line here; one thing at a time is done, and between two
 * of them everybody may change their mind. What several sessions want computed is computed together.
 */
export class Engine {
  readonly slots: readonly Slot[];
  readonly #kernel: Kernel;
  #advances: Advance[] = [];
  #exclusives: Exclusive[] = [];
  #running: Promise<void> | undefined;
  #closed = false;
  /** Called whenever there may be less to do than before. */
  onRest: () => void = () => {};

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.slots = Array.from({ length: kernel.sequences }, (_, sequence) => ({ sequence, tokens: [] }));
  }

  get window(): number {
    return this.#kernel.window;
  }

  /** Whether somebody's tokens are being computed, or will be. */
  get busy(): boolean {
    return this.#advances.length > 0;
  }

  sampler(temperature: number): Sampler {
    return this.#kernel.sampler(temperature);
  }

  /** Computes tokens at the end of a sequence, and chooses the next. Halted, what is not begun is not done. */
  next(slot: Slot, tokens: readonly number[], sampler: Sampler): Operation<number> {
    return this.#advance(slot, tokens, sampler);
  }

  /** Computes tokens at the end of a sequence. */
  *compute(slot: Slot, tokens: readonly number[]): Operation<void> {
    if (tokens.length > 0) yield* this.#advance(slot, tokens, undefined);
  }

  #advance(slot: Slot, tokens: readonly number[], sampler: Sampler | undefined): Operation<number> {
    return action<number>((resolve, reject) => {
      const advance: Advance = {
        slot,
        tokens,
        done: 0,
        get left() {
          return tokens.length - this.done;
        },
        sampler,
        resolve,
        reject,
      };
      if (this.#closed) reject(closed());
      else {
        this.#advances.push(advance);
        this.#wake();
      }
      return () => {
        this.#advances = this.#advances.filter((waiting) => waiting !== advance);
        this.onRest();
      };
    });
  }

  /** Does something while nothing else is done. Halted, it is not begun, or its result is dropped. */
  exclusively<T>(work: () => Promise<T> | T): Operation<T> {
    return action<T>((resolve, reject) => {
      const exclusive: Exclusive = { run: async () => resolve(await work()), reject };
      if (this.#closed) reject(closed());
      else {
        this.#exclusives.push(exclusive);
        this.#wake();
      }
      return () => {
        this.#exclusives = this.#exclusives.filter((waiting) => waiting !== exclusive);
      };
    });
  }

  /** Waits until the native side is at rest. */
  *settled(): Operation<void> {
    try {
      yield* this.exclusively(() => {});
    } catch {
      // It was closed, and is at rest.
    }
  }

  /**
   * Makes a sequence hold as many of some tokens as are held anywhere, and nothing else. What is missing is for the
   * caller to compute; at least `least` tokens are missing.
   */
  place(slot: Slot, tokens: readonly number[], least: number): Operation<void> {
    return this.exclusively(async () => {
      const wanted = tokens.length - least;
      let held = Math.min(wanted, commonPrefix(slot.tokens, tokens));
      let best = slot;
      for (const other of this.slots) {
        const common = Math.min(wanted, commonPrefix(other.tokens, tokens));
        if (common > held + (best === slot ? worthCopying : 0)) [best, held] = [other, common];
      }
      if (best !== slot) await this.#copy(best, slot);
      this.#cut(slot, held);
    });
  }

  /** Frees the native side, once what is under way is done. Everything that waits fails. */
  async close(): Promise<void> {
    this.#closed = true;
    const waiting = [...this.#advances.splice(0), ...this.#exclusives.splice(0)];
    for (const { reject } of waiting) reject(closed());
    await this.#running;
    await this.#kernel.close();
  }

  async #copy(from: Slot, to: Slot): Promise<void> {
    try {
      await this.#kernel.copy(from.sequence, to.sequence);
      to.tokens = [...from.tokens];
    } catch (error) {
      this.#clear(to);
      throw error;
    }
  }

  #cut(slot: Slot, length: number): void {
    if (slot.tokens.length <= length) return;
    slot.tokens = this.#kernel.cut(slot.sequence, length) ? slot.tokens.slice(0, length) : [];
  }

  /** For when it is not known what a sequence holds. */
  #clear(slot: Slot): void {
    slot.tokens = [];
    this.#kernel.cut(slot.sequence, 0);
  }

  #wake(): void {
    this.#running ??= this.#run();
  }

  /** Works until nothing is left. It never throws: failures go to whoever asked. */
  async #run(): Promise<void> {
    for (;;) {
      // Whoever just got a token asks for the next before this is over, so that all of them share a batch.
      await immediate();
      for (let work = this.#exclusives.shift(); work !== undefined; work = this.#exclusives.shift()) {
        try {
          await work.run();
        } catch (error) {
          work.reject(error as Error);
        }
      }
      if (this.#advances.length > 0) await this.#decode();
      if (this.#advances.length > 0 || this.#exclusives.length > 0) continue;
      this.#running = undefined;
      this.onRest();
      return;
    }
  }

  async #decode(): Promise<void> {
    const shares = planBatch(this.#advances, this.#kernel.batch);
    const parts = shares.map(({ work, count }): Part => {
      const { slot, tokens, done, sampler } = work;
      return {
        sequence: slot.sequence,
        from: slot.tokens.length,
        tokens: tokens.slice(done, done + count),
        sample: sampler !== undefined && done + count === tokens.length,
      };
    });
    let places: readonly (number | undefined)[];
    try {
      places = await this.#kernel.decode(parts);
    } catch (error) {
      for (const { work } of shares) {
        this.#clear(work.slot);
        this.#finish(work);
        work.reject(error as Error);
      }
      return;
    }
    const samples: Promise<void>[] = [];
    for (const [index, { work, count }] of shares.entries()) {
      work.slot.tokens.push(...parts[index]!.tokens);
      work.done += count;
      if (work.left > 0) continue;
      const { sampler } = work;
      const place = places[index];
      if (sampler === undefined || place === undefined) {
        this.#finish(work);
        work.resolve(-1);
      } else if (this.#advances.includes(work)) samples.push(this.#sample(work, place, sampler));
    }
    await Promise.all(samples);
  }

  async #sample(work: Advance, place: number, sampler: Sampler): Promise<void> {
    try {
      const token = await this.#kernel.sample(place, sampler);
      this.#finish(work);
      work.resolve(token);
    } catch (error) {
      this.#finish(work);
      work.reject(error as Error);
    }
  }

  #finish(work: Advance): void {
    this.#advances = this.#advances.filter((waiting) => waiting !== work);
  }
}

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const closed = (): Error => new Error("the model was closed while it was in use");
