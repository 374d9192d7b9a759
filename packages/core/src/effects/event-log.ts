import { type Effect, type Operation, resource, type Stream, type Subscription } from "effection";
import { Done } from "./done.ts";
import { Wait } from "./wait.ts";

/**
 * Events in one order, for any number of readers. What happens before the first reader comes is kept for it; later
 * readers see what happens from then on. A slow reader slows nobody.
 */
export class EventLog<T, TClose> {
  readonly #readers = new Set<Reader<T, TClose>>();
  #early: T[] | undefined = [];
  #closed: { readonly value: TClose } | undefined;

  add(event: T): void {
    this.#early?.push(event);
    for (const reader of this.#readers) reader.add(event);
  }

  close(value: TClose): void {
    if (this.#closed) return;
    this.#closed = { value };
    for (const reader of this.#readers) reader.close(value);
  }

  /** A reader of its own; call `leave` when done with it. */
  read(): { readonly reader: Reader<T, TClose>; leave(): void } {
    const reader = new Reader<T, TClose>();
    for (const event of this.#early ?? []) reader.add(event);
    this.#early = undefined;
    if (this.#closed) reader.close(this.#closed.value);
    this.#readers.add(reader);
    return { reader, leave: () => this.#readers.delete(reader) };
  }
}

/** A log as a stream: each subscription is a reader, for as long as its scope. */
export const streamOf = <T, TClose>(log: EventLog<T, TClose>): Stream<T, TClose> =>
  resource<Subscription<T, TClose>>(function* (provide) {
    const { reader, leave } = log.read();
    try {
      yield* provide(reader);
    } finally {
      leave();
    }
  });

/** What one reader has not seen yet. */
export class Reader<T, TClose> implements Subscription<T, TClose>, Operation<IteratorResult<T, TClose>> {
  #items: T[] = [];
  #head = 0;
  #closed: IteratorReturnResult<TClose> | undefined;
  #waiting: ((item: IteratorResult<T, TClose>) => void) | undefined;

  add(event: T): void {
    if (this.#waiting) this.#wake({ done: false, value: event });
    else this.#items.push(event);
  }

  /** After what was added comes the end. */
  close(value: TClose): void {
    this.#closed = { done: true, value };
    if (this.#waiting) this.#wake(this.#closed);
  }

  /** The next item, if it is there already. */
  take(): IteratorResult<T, TClose> | undefined {
    if (this.#head === this.#items.length) return this.#closed;
    const value = this.#items[this.#head++]!;
    if (this.#head > 1_024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return { done: false, value };
  }

  #wake(item: IteratorResult<T, TClose>): void {
    const waiting = this.#waiting!;
    this.#waiting = undefined;
    waiting(item);
  }

  /** Itself: evaluated, it gives the next item, and waits only where there is none yet. */
  next(): Operation<IteratorResult<T, TClose>> {
    return this;
  }

  [Symbol.iterator](): Iterator<Effect<unknown>, IteratorResult<T, TClose>> {
    const item = this.take();
    return item ? new Done(item) : new Wait<IteratorResult<T, TClose>>((resolve) => this.wait(resolve));
  }

  /** Calls `resolve` with the next item that comes; returns how to take that back. */
  wait(resolve: (item: IteratorResult<T, TClose>) => void): () => void {
    this.#waiting = resolve;
    return () => {
      if (this.#waiting === resolve) this.#waiting = undefined;
    };
  }
}
