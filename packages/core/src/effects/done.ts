import type { Operation } from "effection";

/** An operation that has its value already. */
export class Done<T> implements Operation<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorReturnResult<T> {
    return { done: true, value: this.#value };
  }
}
