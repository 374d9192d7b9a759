import type { Effect, Operation } from "effection";

/** An operation that has its value already: what a generation gives while it has nothing to wait for. */
export class Done<T> implements Operation<T>, Iterator<Effect<unknown>, T, unknown> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  [Symbol.iterator](): Iterator<Effect<unknown>, T, unknown> {
    return this;
  }

  next(): IteratorReturnResult<T> {
    return { done: true, value: this.#value };
  }
}
