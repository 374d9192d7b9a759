import { ensure, type Operation, scoped, suspend, withResolvers } from "effection";
import { asError, reasonOf } from "../decisions/reason.ts";
import type { Model, Session } from "../values/model.ts";
import type { Pool } from "./pool-state.ts";

/**
 * Opens an agent's session so that it lives as long as the pool: others may fork from it once its agent is over. Where
 * a model's sessions last anyway, that takes nothing.
 */
export function keepSession(pool: Pool, model: Model, open: () => Operation<Session>): Operation<Session> {
  return model.lasting ? open() : keep(pool, open);
}

function* keep(pool: Pool, open: () => Operation<Session>): Operation<Session> {
  const opening = withResolvers<Session>();
  let opened = false;
  const keeper = pool.scope!.run(function* () {
    try {
      yield* scoped(function* () {
        const session = yield* open();
        opened = true;
        opening.resolve(session);
        yield* suspend();
      });
    } catch (error) {
      if (opened) pool.run.emit({ type: "notice", message: `a session did not close: ${reasonOf(error)}` });
      else opening.reject(asError(error));
    }
  });
  // an agent that is ended while its session opens does not leave it behind
  yield* ensure(function* () {
    if (!opened) yield* keeper.halt();
  });
  return yield* opening.operation;
}
