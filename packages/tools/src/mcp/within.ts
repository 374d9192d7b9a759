import { DeadlineError, useClock } from "@agentpool/core";
import { type Operation, scoped, useScope } from "effection";

/** Runs `body`; what takes longer is halted, and a {@link DeadlineError} is thrown. */
export function* within<T>(ms: number, body: () => Operation<T>): Operation<T> {
  const clock = yield* useClock();
  return yield* scoped(function* () {
    const scope = yield* useScope();
    const disarm = clock.at(clock.now() + ms, () => {
      scope.run(() => tooLong(ms)).catch(() => {});
    });
    try {
      return yield* body();
    } finally {
      disarm();
    }
  });
}

function* tooLong(ms: number): Operation<never> {
  throw new DeadlineError(ms);
}
