import { type Effect, Ok, type Operation, scoped, until, useScope } from "effection";
import { asError } from "../decisions/reason.ts";
import type { Answerable } from "../values/answer.ts";
import { DeadlineError } from "../values/errors.ts";
import type { Allowance } from "./allowance.ts";
import { Done } from "./done.ts";
import { Wait } from "./wait.ts";

/**
 * Settles whatever a tool or a hook returned, within an allowance: past it, the promise is abandoned or the operation
 * halted, and {@link DeadlineError} is thrown. A plain value costs nothing.
 *
 * A promise cannot be stopped from outside: give its function a signal, and abort it when this ends.
 */
export function bounded<T>(answer: Answerable<T>, allowance: Allowance): Operation<T> {
  if (isOperation(answer)) return boundedOperation(answer as Operation<T>, allowance);
  if (isThenable(answer)) return boundedPromise(answer as PromiseLike<T>, allowance);
  return new Done(answer as T);
}

/** Whether settling takes more than looking. */
export const isPending = (answer: unknown): boolean => isOperation(answer) || isThenable(answer);

const boundedPromise = <T>(promise: PromiseLike<T>, allowance: Allowance): Operation<T> =>
  new Wait<T>((resolve, reject) => {
    allowance.start(() => reject(new DeadlineError(allowance.total)));
    Promise.resolve(promise).then(resolve, (thrown: unknown) => reject(asError(thrown)));
    return () => allowance.stop();
  });

/**
 * An operation that never waits is over with its first step, and costs no scope. Any other goes on in one of its own; on
 * expiry an operation that throws is run in it, which ends it.
 */
function* boundedOperation<T>(operation: Operation<T>, allowance: Allowance): Operation<T> {
  const begun = new Begun(operation);
  if (begun.first.done) return begun.first.value;
  try {
    return yield* scoped(function* () {
      const scope = yield* useScope();
      allowance.start(() => {
        scope.run(() => fail(new DeadlineError(allowance.total))).catch(() => {});
      });
      try {
        return yield* begun;
      } catch (thrown) {
        throw asError(thrown);
      } finally {
        allowance.stop();
      }
    });
  } finally {
    yield* begun.abandon(); // what yields here takes the halt up again
  }
}

/** An operation that took its first step: the effect that it came to is still to be performed. */
class Begun<T> implements Operation<T> {
  readonly first: IteratorResult<Effect<unknown>, T>;
  readonly #iterator: Iterator<Effect<unknown>, T, unknown>;
  #resumed = false;

  constructor(operation: Operation<T>) {
    try {
      this.#iterator = operation[Symbol.iterator]();
      this.first = this.#iterator.next();
    } catch (thrown) {
      throw asError(thrown);
    }
  }

  /** Goes on from the first effect. */
  *[Symbol.iterator](): Generator<Effect<unknown>, T, unknown> {
    this.#resumed = true;
    return yield* after(this.first, this.#iterator);
  }

  /** A halt came before it went on: what it opened with its first step is closed, and the halt goes on. */
  *abandon(): Operation<void> {
    if (this.#resumed || !this.#iterator.return) return;
    const closing = this.#iterator.return();
    if (closing.done) return;
    yield* after(closing, this.#iterator);
    yield HALT_ON;
  }
}

/** What yields while it is halted has to take the halt up again, or those who wait for it would go on. */
const HALT_ON: Effect<void> = {
  description: "halt on",
  enter(_, routine) {
    routine.unwind();
    return (left) => left(Ok());
  },
};

/** The rest of an iteration of which one result is known. */
const after = <T>(
  result: IteratorResult<Effect<unknown>, T>,
  iterator: Iterator<Effect<unknown>, T, unknown>,
): Operation<T> => {
  let known: typeof result | undefined = result;
  return {
    [Symbol.iterator]: () => ({
      next(value) {
        const next = known ?? iterator.next(value);
        known = undefined;
        return next;
      },
      throw: iterator.throw && ((error) => iterator.throw!(error)),
      return: iterator.return && ((value) => iterator.return!(value)),
    }),
  };
};

function* fail(error: Error): Operation<never> {
  throw error;
}

/** Many things can be iterated over; operations are generators, plain objects and what effection makes. */
function isOperation(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (typeof (value as { [Symbol.iterator]?: unknown })[Symbol.iterator] !== "function") return false;
  return !Array.isArray(value) && OPERATIONS.has(Object.prototype.toString.call(value));
}

const OPERATIONS = new Set(["[object Object]", "[object Generator]", "[object Task]", "[object Future]"]);

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";

/** Settles an answer with no bound. */
export const settled = <T>(answer: Answerable<T>): Operation<T> =>
  isOperation(answer)
    ? (answer as Operation<T>)
    : isThenable(answer)
      ? until(Promise.resolve(answer as PromiseLike<T>))
      : new Done(answer as T);
