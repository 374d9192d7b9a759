import { type Effect, Err, Ok, type Operation, type Result } from "effection";

/**
 * Effection's `action` with fewer objects, for the waits that every call goes through. `enter` returns how to leave,
 * which runs however the wait ends. An instance waits once: make a fresh one for each.
 */
export class Wait<T> implements Operation<T>, Effect<T> {
  readonly description = "wait";
  readonly #enter: (resolve: (value: T) => void, reject: (error: Error) => void) => () => void;
  #entered = false;

  constructor(enter: (resolve: (value: T) => void, reject: (error: Error) => void) => () => void) {
    this.#enter = enter;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(value?: unknown): IteratorResult<Effect<unknown>, T> {
    if (this.#entered) return { done: true, value: value as T };
    this.#entered = true;
    return { done: false, value: this };
  }

  return(value: T): IteratorResult<Effect<unknown>, T> {
    return { done: true, value };
  }

  throw(error: unknown): IteratorResult<Effect<unknown>, T> {
    throw error;
  }

  enter(settle: (result: Result<T>) => void): (left: (result: Result<void>) => void) => void {
    const leave = this.#enter(
      (value) => settle(Ok(value)),
      (error) => settle(Err(error)),
    );
    return (left) => {
      try {
        leave();
        left(Ok());
      } catch (error) {
        left(Err(error as Error));
      }
    };
  }
}
