import { action, type Operation } from "effection";
import { commonPrefix } from "./common-prefix.ts";
import type { Engine, Slot } from "./engine.ts";

/** A session's claim to a sequence. */
export interface Seat {
  /** Undefined while it waits, and after it was given up to another. */
  slot: Slot | undefined;
  /** A turn is being written: the sequence is not given up now. */
  writing: boolean;
  /** It had turns of its own. One that never had, and was forked, is a spine: it needs no sequence. */
  spoke: boolean;
  forked: boolean;
  /** When it last needed its sequence, in the order of such times. */
  used: number;
}

interface Waiting {
  readonly seat: Seat;
  /** What it will hold, to find the sequence that has most of it already. */
  readonly tokens: readonly number[];
  grant(): void;
}

/** Calls back once everybody has been at rest for long enough. Gives what stops the waiting. */
export type Wait = (then: () => void) => () => void;

/** Waits some milliseconds. */
export const patient =
  (ms: number): Wait =>
  (then) => {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  };

/**
 * Who holds which sequence. A session gets one when it is made and gives it back when it ends; meanwhile those that
 * are not writing may have to give it up, as little as can be: first spines, whose state their forks hold too; and
 * only when everybody has been at rest for a while, whoever has been longest, since those who wait may be what the
 * others wait for.
 */
export class Seats {
  readonly #engine: Engine;
  readonly #wait: Wait;
  readonly #holders = new Map<Slot, Seat>();
  /** Those that had a sequence before come first: they are in the middle of something. */
  readonly #returning: Waiting[] = [];
  readonly #arriving: Waiting[] = [];
  #stopWaiting: (() => void) | undefined;
  #clock = 0;

  constructor(engine: Engine, wait: Wait) {
    this.#engine = engine;
    this.#wait = wait;
    engine.onRest = () => this.#settle();
  }

  /** How many are being written with now. */
  get writing(): number {
    return [...this.#holders.values()].filter(({ writing }) => writing).length;
  }

  newSeat(): Seat {
    return { slot: undefined, writing: false, spoke: false, forked: false, used: ++this.#clock };
  }

  /**
   * Waits until the seat has a sequence, which it then keeps until it is at `rest`. Whoever waits is the one to `leave`
   * it, also where it is halted meanwhile.
   */
  *take(seat: Seat, tokens: readonly number[]): Operation<Slot> {
    if (seat.slot === undefined) {
      const line = seat.spoke ? this.#returning : this.#arriving;
      yield* action<void>((resolve) => {
        const waiting: Waiting = { seat, tokens, grant: resolve };
        line.push(waiting);
        this.#settle();
        return () => {
          const at = line.indexOf(waiting);
          if (at >= 0) line.splice(at, 1);
          this.#settle();
        };
      });
    }
    seat.writing = true;
    seat.used = ++this.#clock;
    return seat.slot!;
  }

  /** The sequence is free again. What it holds stays there, for whoever can use it. */
  leave(seat: Seat): void {
    if (seat.slot !== undefined) this.#holders.delete(seat.slot);
    seat.slot = undefined;
    this.#settle();
  }

  /** The seat needs its sequence no more for now. */
  rest(seat: Seat): void {
    seat.writing = false;
    this.#settle();
  }

  #settle(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const slot = this.#free(next.tokens) ?? this.#given(this.#spine());
      if (slot === undefined) break;
      this.#seat(next, slot);
    }
    this.#watch();
  }

  #next(): Waiting | undefined {
    return this.#returning[0] ?? this.#arriving[0];
  }

  #seat(waiting: Waiting, slot: Slot): void {
    for (const line of [this.#returning, this.#arriving]) {
      const at = line.indexOf(waiting);
      if (at >= 0) line.splice(at, 1);
    }
    waiting.seat.slot = slot;
    waiting.seat.writing = true;
    this.#holders.set(slot, waiting.seat);
    waiting.grant();
  }

  /** The free sequence that holds most of some tokens. */
  #free(tokens: readonly number[]): Slot | undefined {
    let best: { slot: Slot; common: number } | undefined;
    for (const slot of this.#engine.slots) {
      if (this.#holders.has(slot)) continue;
      const common = commonPrefix(slot.tokens, tokens);
      if (best === undefined || common > best.common) best = { slot, common };
    }
    return best?.slot;
  }

  #given(seat: Seat | undefined): Slot | undefined {
    const slot = seat?.slot;
    if (slot === undefined) return undefined;
    seat!.slot = undefined;
    this.#holders.delete(slot);
    return slot;
  }

  #spine(): Seat | undefined {
    return this.#longest(({ forked, spoke }) => forked && !spoke);
  }

  /** Of those that are not writing, the one that has been at rest longest. */
  #longest(may: (seat: Seat) => boolean): Seat | undefined {
    let longest: Seat | undefined;
    for (const seat of this.#holders.values())
      if (!seat.writing && may(seat) && (longest === undefined || seat.used < longest.used)) longest = seat;
    return longest;
  }

  /** Starts to wait for the others to move when nobody does, and stops when somebody does. */
  #watch(): void {
    const stuck = this.#next() !== undefined && !this.#engine.busy;
    if (!stuck) {
      this.#stopWaiting?.();
      this.#stopWaiting = undefined;
      return;
    }
    this.#stopWaiting ??= this.#wait(() => {
      this.#stopWaiting = undefined;
      const slot = this.#given(this.#longest(() => true));
      const next = this.#next();
      if (slot !== undefined && next !== undefined) this.#seat(next, slot);
      this.#settle();
    });
  }
}
