import { action, type Operation } from "effection";

/**
 * Rung by many, heard by many: however often it was rung meanwhile, each hears it once. Nobody takes a ring from
 * another, and who ceases to listen takes none along.
 */
export class Bell {
  readonly #waiting = new Set<() => void>();
  #rings = 0;

  ring(): void {
    this.#rings++;
    for (const wake of [...this.#waiting]) wake();
  }

  /** Waits, each time, until it was rung since it was heard last. */
  listen(): Operation<void> {
    let heard = this.#rings;
    const hear = function* (this: Bell): Operation<void> {
      while (heard === this.#rings)
        yield* action<void>((resolve) => {
          this.#waiting.add(resolve);
          return () => this.#waiting.delete(resolve);
        });
      heard = this.#rings;
    };
    return { [Symbol.iterator]: () => hear.call(this)[Symbol.iterator]() };
  }
}
