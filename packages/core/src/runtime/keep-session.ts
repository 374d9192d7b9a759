import { ensure, type Operation, scoped, suspend, withResolvers } from "effection";
import { asError, reasonOf } from "../decisions/reason.ts";
import type { Session } from "../values/model.ts";
import type { AgentState } from "./agent-state.ts";

/**
 * Opens an agent's session so that it lives as long as the pool: others may fork from it once its agent is over; from
 * then on it is at rest. Where a model's sessions last anyway, that takes nothing.
 */
export function keepSession(agent: AgentState, open: () => Operation<Session>): Operation<Session> {
  return agent.model.lasting ? open() : keep(agent, open);
}

function* keep(agent: AgentState, open: () => Operation<Session>): Operation<Session> {
  const { pool, key } = agent;
  const opening = withResolvers<Session>();
  let opened = false;
  const keeper = pool.scope!.run(function* () {
    try {
      yield* scoped(function* () {
        const session = yield* open();
        opened = true;
        opening.resolve(session);
        yield* agent.ended;
        if (session.rest) yield* session.rest();
        yield* suspend();
      });
    } catch (error) {
      if (opened)
        pool.run.emit({
          type: "notice",
          agent: key,
          message: `its session did not close: ${reasonOf(error)}`,
        });
      else opening.reject(asError(error));
    }
  });
  // an agent that is ended while its session opens does not leave it behind
  yield* ensure(function* () {
    if (!opened) yield* keeper.halt();
  });
  return yield* opening.operation;
}
