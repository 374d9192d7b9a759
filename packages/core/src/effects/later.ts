import type { Operation } from "effection";

/**
 * An answer that has to be waited for. Most decisions are made at once: a function that returns `T | Later<T>` costs
 * no operation where there is nothing to wait for.
 *
 * ```ts
 * const verdict = ask(call);
 * const known = verdict instanceof Later ? yield* verdict.operation : verdict;
 * ```
 */
export class Later<T> {
  readonly operation: Operation<T>;
  constructor(operation: Operation<T>) {
    this.operation = operation;
  }
}
