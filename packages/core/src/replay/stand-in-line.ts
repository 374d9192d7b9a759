import type { Operation } from "effection";
import { ask } from "./ask.ts";
import { block } from "./keep.ts";
import type { ReplayState } from "./replay-state.ts";
import type { Standing } from "./standing.ts";

/** Takes its place in line, and runs unless earlier calls are in its way. */
export function* enter(state: ReplayState, standing: Standing | undefined): Operation<void> {
  if (!standing || standing.ticket) return;
  standing.ticket = state.line.take(standing.agent.holder, standing.bound.identity, standing.args);
  yield* goOn(state, standing);
}

/** Its guards are asked again from its place in line. */
function* goOn(state: ReplayState, standing: Standing): Operation<void> {
  const { ticket, lookers, recorded } = standing;
  if (!ticket || lookers.length === 0) return;
  const verdict = yield* ask(state, standing, ticket);
  if (verdict.type === "blocked") {
    state.line.leave(ticket);
    block(state, standing, verdict.outcome);
    yield* wake(state);
    return;
  }
  if (verdict.approval !== undefined) state.fates.ask(recorded.call, verdict.approval);
  const waits = verdict.behind.some(({ state }) => state === "open");
  state.standing.park(standing, waits);
  if (waits) return;
  standing.lookers = [];
  if (standing.succeeded !== undefined) yield* settle(state, recorded.call, standing.succeeded);
  if (standing.admitted) yield* admit(state, recorded.call, true);
}

/** Its outcome is known: it takes effect once nothing is in its way. */
export function* settle(state: ReplayState, id: string, succeeded: boolean): Operation<void> {
  const standing = state.standing.get(id);
  if (!standing) return;
  standing.succeeded = succeeded;
  if (standing.parked || !standing.ticket) return;
  if (succeeded) state.line.succeed(standing.ticket);
  else state.line.leave(standing.ticket);
  yield* wake(state);
}

/** Its agent reads it. */
export function* admit(state: ReplayState, id: string, attended: boolean): Operation<void> {
  const { standing: all, agents, calls, cohort, line } = state;
  const standing = all.get(id);
  if (attended) agents.of(calls.get(id)?.agent)?.readThen();
  if (!standing?.ticket || !standing.succeeded) return;
  standing.admitted = true;
  if (standing.parked) return;
  all.delete(standing);
  standing.agent.attend(standing.bound.identity, standing.args);
  cohort.attend(standing.bound.identity, standing.args);
  line.leave(standing.ticket);
  yield* wake(state);
}

/** Something in line has changed: those that waited for it are asked again, in their order. */
export function* wake(state: ReplayState): Operation<void> {
  for (const standing of state.standing.parked())
    if (standing.parked && standing.ticket?.state === "open") yield* goOn(state, standing);
}
