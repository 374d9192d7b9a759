import { action, type Operation, scoped, until, useScope } from "effection";
import { asError } from "../decisions/reason.ts";
import type { Answerable } from "../values/answer.ts";
import { DeadlineError } from "../values/errors.ts";
import type { Allowance } from "./allowance.ts";

/**
 * Settles whatever a tool or a hook returned, within an allowance: past it, the promise is abandoned or the operation
 * halted, and {@link DeadlineError} is thrown. A plain value costs nothing.
 *
 * A promise cannot be stopped from outside: give its function a signal, and abort it when this ends.
 */
export function bounded<T>(answer: Answerable<T>, allowance: Allowance): Operation<T> {
  if (isOperation(answer)) return boundedOperation(answer as Operation<T>, allowance);
  if (isThenable(answer)) return boundedPromise(answer as PromiseLike<T>, allowance);
  return {
    *[Symbol.iterator]() {
      return answer as T;
    },
  };
}

/** Whether settling takes more than looking. */
export const isPending = (answer: unknown): boolean => isOperation(answer) || isThenable(answer);

const boundedPromise = <T>(promise: PromiseLike<T>, allowance: Allowance): Operation<T> =>
  action<T>((resolve, reject) => {
    allowance.start(() => reject(new DeadlineError(allowance.total)));
    Promise.resolve(promise).then(resolve, (thrown: unknown) => reject(asError(thrown)));
    return () => allowance.stop();
  });

/** The operation gets a scope of its own; on expiry an operation that throws is run in it, which ends it. */
function boundedOperation<T>(operation: Operation<T>, allowance: Allowance): Operation<T> {
  return scoped(function* () {
    const scope = yield* useScope();
    allowance.start(() => {
      scope.run(() => fail(new DeadlineError(allowance.total))).catch(() => {});
    });
    try {
      return yield* operation;
    } catch (thrown) {
      throw asError(thrown);
    } finally {
      allowance.stop();
    }
  });
}

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
      : {
          *[Symbol.iterator]() {
            return answer as T;
          },
        };
