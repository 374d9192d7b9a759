import { type Operation, suspend } from "effection";
import { ConfigurationError, ResumeError } from "../values/errors.ts";
import type { Mark } from "../values/model.ts";
import type { RecordedAgent, RecordedTurn } from "../values/recorded.ts";
import type { AgentState } from "./agent-state.ts";
import { inForm } from "./in-form.ts";
import type { Pool } from "./pool-state.ts";

/**
 * Taking up a recorded run.
 *
 * There is one code path. Agents run again from their beginning, and whatever is on record answers in place of who
 * answered then: a turn is put into the conversation instead of being generated, a call has its outcome instead of being
 * executed, a hook its answer instead of being asked. What is not on record happens now. So every prefix of a record can
 * be taken up, and the conversations are the same to the byte.
 *
 * - `Recorded` is the record, folded once. What the whole run shares (reads, places in line, totals, budgets) is
 *   restored from it before any agent starts; what is an agent's own comes back as it goes through its record.
 * - Each stage asks for its part of it, by turn and attempt or by call. `undefined` always means: not decided.
 * - What happened again is not put on record again, nor shown to observers: they were shown the record first.
 * - An agent whose end is on record does not run at all, unless somebody forks from it.
 */
export function claim(pool: Pool, key: string, task: string): RecordedAgent | undefined {
  const { recorder } = pool.run;
  const past = recorder?.recorded.agents.get(key);
  if (!past || past.claimed) return undefined;
  const { journal } = recorder!;
  if (past.task !== task && past.task !== journal.asRecorded?.(task) && !journal.force)
    throw new ResumeError(
      `agent "${key}" has another task than on record: found "${excerpt(task)}", on record is "${excerpt(past.task)}". Take the run up with the harness it was begun with, or by force.`,
    );
  past.claimed = true;
  return past;
}

const excerpt = (task: string): string => (task.length > 80 ? `${task.slice(0, 79)}…` : task);

/** What is on record about the turn an agent is in. */
export const turnOf = ({ past, turns, attempt }: AgentState): RecordedTurn | undefined =>
  past?.turns.get(`${turns}.${attempt}`);

/** What is on record about the turn an agent takes next. */
export const nextTurnOf = ({ past, turns, attempt }: AgentState): RecordedTurn | undefined =>
  past?.turns.get(`${turns + 1}.${attempt}`);

/** Whether the record goes on after the turn an agent is in. */
export const goesOn = ({ past, turns }: AgentState): boolean =>
  past !== undefined &&
  (past.lastTurn > turns || past.turns.has(`${turns + 1}.0`) || past.stop !== undefined);

/** An agent is between turns: where nothing is on record after it, it goes on from here. */
export function* goOn(agent: AgentState, isStopped = false): Operation<void> {
  if (nextTurnOf(agent)?.result || (agent.past!.stop && !isStopped)) return;
  agent.caughtUp();
  if (agent.isRevived) yield* suspend();
}

/** An agent is in the last turn on record: where that is not over, it goes on from here. */
export function* catchUp(agent: AgentState): Operation<void> {
  if (isComplete(agent)) return;
  agent.caughtUp();
  if (agent.isRevived) yield* suspend();
}

/** Whether all calls of the turn an agent is in were admitted. */
function isComplete(agent: AgentState): boolean {
  const { past, key, turns, attempt } = agent;
  const known = turnOf(agent);
  if (!known?.result) return false;
  const id = `${key}:${turns}${attempt > 0 ? `.${attempt}` : ""}`;
  return known.result.calls.every((_, index) => past!.calls.get(`${id}#${index}`)?.admitted);
}

/** An agent whose end is on record: it has its result and does not run. */
export function recallEnd(agent: AgentState): void {
  const { past } = agent;
  const result = past!.result!;
  agent.phase = "done";
  agent.turns = result.turns;
  agent.toolCallCount = result.toolCallCount;
  agent.attendedCount = result.attendedCount;
  agent.refusals.push(...result.refusals);
  agent.inbox.length = 0;
  agent.end({ ...result, parent: result.parent, result: shaped(agent) });
}

/** Where the task's schema made something else of the result than JSON can hold, it does so again. */
function shaped(agent: AgentState): unknown {
  const { result, turns } = agent.past!;
  for (const [at, { returned }] of turns)
    if (
      Number.parseInt(at, 10) === result!.turns &&
      returned?.type === "ended" &&
      returned.raw !== undefined
    ) {
      const formed = inForm(agent, returned.raw);
      if ("value" in formed) return formed.value;
    }
  return result!.result;
}

/** It is back: calls of its that were on their way have their places in line. */
export function recallPlaces(agent: AgentState): void {
  const { places, line } = agent.pool.run;
  for (const id of agent.past!.calls.keys()) {
    const ticket = places.get(id);
    if (ticket) line.hand(ticket, agent);
  }
}

/** Where others that fork from an agent start: before the step that it is in. */
export const placeOf = ({ step, place }: AgentState): number => step?.place ?? place;

/** A place in a parent's conversation. */
export function markAt(parent: AgentState, place: number): Mark {
  const mark =
    parent.places.get(place) ??
    (parent.place === place ? parent.session.mark() : undefined) ??
    (parent.step?.place === place ? parent.step.mark : undefined);
  if (mark) return mark;
  throw new ConfigurationError(
    `spawn: "${parent.key}" does not come to the place on record from which another agent was forked.`,
  );
}
