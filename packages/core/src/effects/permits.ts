import { action, type Operation } from "effection";
import { isClosing, type Life } from "../decisions/life.ts";

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
  wake(): void;
}

/** So many at once, first come first served. Nobody who is ending is let in. */
export class Permits {
  readonly #waiting = new Set<Waiter>();
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
    return this.#waiting.size;
  }

  /** Takes a permit if one is free and nobody is before. */
  tryAcquire(slot: Slot): boolean {
    if (this.#paused || this.#waiting.size > 0 || this.#held >= this.#limit) return false;
    this.#grant(slot);
    return true;
  }

  /** Stands in the queue until a permit was written into the slot. Returns how to leave the queue. */
  enqueue(slot: Slot, life: Life, wake: () => void): () => void {
    const waiter = { slot, life, wake };
    this.#waiting.add(waiter);
    return () => this.#waiting.delete(waiter);
  }

  /** Waits for a permit. */
  *acquire(slot: Slot, life: Life): Operation<void> {
    if (this.tryAcquire(slot)) return;
    yield* action<void>((resolve) => this.enqueue(slot, life, resolve));
  }

  release(slot: Slot): void {
    if (!slot.held) return;
    slot.held = false;
    this.#held--;
    this.#admit();
  }

  /** Takes a permit back that was lent, even over the limit: others wait until it is back under it. */
  reclaim(slot: Slot): void {
    if (!slot.held) this.#grant(slot);
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
    for (const waiter of this.#waiting) {
      if (this.#held >= this.#limit) return;
      if (isClosing(waiter.life)) continue;
      this.#waiting.delete(waiter);
      this.#grant(waiter.slot);
      waiter.wake();
    }
  }

  #grant(slot: Slot): void {
    slot.held = true;
    this.#held++;
  }
}
