import { type Operation, suspend, withResolvers } from "effection";
import { Lineage } from "../decisions/lineage.ts";
import type { Session } from "../values/model.ts";
import type { AgentState } from "./agent-state.ts";
import { converse } from "./converse.ts";
import { keepSession } from "./keep-session.ts";
import type { Pool } from "./pool-state.ts";
import { markAt, placeOf } from "./recall-agent.ts";
import { extensionsOf } from "./spine.ts";
import { transcribed } from "./transcript.ts";

/**
 * Its context as its parent's stands now: of one in the middle of a step, as it stood before the step. Conversation and
 * reads are of one moment, however long forking takes.
 */
export function* fork(agent: AgentState): Operation<Session> {
  const { pool, from, model } = agent.options;
  const revival = from && (revivals.get(from) ?? (from.session ? undefined : revive(from)));
  if (revival) yield* revival;
  const { past } = agent;
  const before = past?.parent;
  const spine = past?.spine ?? extensionsOf(pool);
  if (from) agent.origin = before ?? { place: placeOf(from), reads: from.step?.reads ?? from.lineage.length };
  else agent.origin = spine;
  const mark = from && (before ? markAt(from, before.place) : (from.step?.mark ?? from.session.mark()));
  agent.lineage = from ? from.lineage.fork(before?.reads ?? from.step?.reads) : spineReads(pool);
  if (model) {
    const opened = yield* keepSession(agent, () => model.open(pool.prefix));
    const session = pool.reviewers.length > 0 ? transcribed(opened) : opened;
    if (spine > 0) yield* session.append(pool.extension.slice(0, 2 * spine));
    return session;
  }
  const origin = from?.session ?? pool.spine!;
  const session = yield* keepSession(agent, () => origin.fork());
  if (mark) yield* session.rewind(mark);
  else if (spine < extensionsOf(pool)) yield* session.rewind(pool.places[spine]!.mark);
  return session;
}

/**
 * A pool that forks its caller's conversation starts with what that one had read before the step; one with a
 * conversation of its own was shown none of it.
 */
const spineReads = ({ caller, forksCaller }: Pool): Lineage =>
  (forksCaller ? caller?.lineage.fork(caller.step?.reads) : undefined) ?? Lineage.empty();

/**
 * The conversation of an agent whose end is on record, for one that forks from it: it goes through its record again,
 * and no further. Once, however many fork from it: they wait until it is back.
 */
function revive(agent: AgentState): Operation<void> {
  const ready = withResolvers<void>();
  revivals.set(agent, ready.operation);
  agent.isRevived = true;
  agent.caughtUp = ready.resolve;
  agent.turns = 0;
  agent.toolCallCount = 0;
  agent.attendedCount = 0;
  agent.refusals.length = 0;
  agent.pool.scope!.run(function* () {
    try {
      agent.session = yield* fork(agent);
      yield* converse(agent);
      ready.resolve();
    } catch (error) {
      ready.reject(error as Error);
    }
    yield* suspend();
  });
  return ready.operation;
}

const revivals = new WeakMap<AgentState, Operation<void>>();
