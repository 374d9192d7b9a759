import type { Operation } from "effection";
import { isClosing, type Life } from "../decisions/life.ts";
import { Wait } from "./wait.ts";

/**
 * Where a permit is held. The grant writes into it before its waiter resumes, and whoever asked gives it back in a
 * `finally` entered before the wait: a halt between the two loses nothing.
 */
export interface Slot {
  held: boolean;
}

interface Waiter {
  readonly slot: Slot;
  readonly life: Life;
  readonly wake: () => void;
  /** Whether it is still in the queue. */
  waits: boolean;
}

/** So many at once, first come first served. Nobody who is ending is let in. */
export class Permits {
  /** In the order they came, from `#head`; those that left are passed over. */
  #queue: Waiter[] = [];
  #head = 0;
  #waiting = 0;
  readonly #limit: number;
  #held = 0;
  #paused = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get held(): number {
    return this.#held;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Takes a permit if one is free and nobody is before. */
  tryAcquire(slot: Slot): boolean {
    if (this.#paused || this.#held >= this.#limit || this.#first()) return false;
    this.#grant(slot);
    return true;
  }

  /** Stands in the queue until a permit was written into the slot. Returns how to leave the queue. */
  enqueue(slot: Slot, life: Life, wake: () => void): () => void {
    const waiter: Waiter = { slot, life, wake, waits: true };
    this.#queue.push(waiter);
    this.#waiting++;
    return () => this.#leave(waiter);
  }

  /** Waits for a permit. */
  *acquire(slot: Slot, life: Life): Operation<void> {
    if (this.tryAcquire(slot)) return;
    yield* new Wait<void>((resolve) => this.enqueue(slot, life, resolve));
  }

  release(slot: Slot): void {
    if (!slot.held) return;
    slot.held = false;
    this.#held--;
    this.#admit();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#admit();
  }

  #admit(): void {
    if (this.#paused) return;
    while (this.#held < this.#limit) {
      const waiter = this.#first();
      if (!waiter) return;
      this.#leave(waiter);
      this.#grant(waiter.slot);
      waiter.wake();
    }
  }

  /** The first in the queue that is not ending. */
  #first(): Waiter | undefined {
    if (this.#waiting === 0) return undefined;
    for (let at = this.#head; at < this.#queue.length; at++) {
      const waiter = this.#queue[at]!;
      if (waiter.waits && !isClosing(waiter.life)) return waiter;
    }
    return undefined;
  }

  #leave(waiter: Waiter): void {
    if (!waiter.waits) return;
    waiter.waits = false;
    this.#waiting--;
    while (this.#head < this.#queue.length && !this.#queue[this.#head]!.waits) this.#head++;
    if (this.#head < 64 || this.#head * 2 < this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#head);
    this.#head = 0;
  }

  #grant(slot: Slot): void {
    slot.held = true;
    this.#held++;
  }
}
