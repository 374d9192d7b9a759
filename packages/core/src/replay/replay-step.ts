import type { Operation } from "effection";
import type { Noted } from "../values/journal.ts";
import type { ReplayState } from "./replay-state.ts";
import { enter, settle } from "./stand-in-line.ts";
import type { Standing } from "./standing.ts";

/** The calls of a step have their part of the limits, and take their places, in the order they were emitted. */
export function* enterStep(
  state: ReplayState,
  { agent, turn, calls }: Extract<Noted, { type: "record:step" }>,
): Operation<void> {
  const asked = new Set(calls.filter(({ approval }) => approval !== undefined).map(({ call }) => call));
  const passed = new Set(calls.map(({ call }) => call));
  const step = state.standing.ofStep(agent, turn);
  const here = step.filter((standing) => goesOn(state, standing) && !asked.has(standing.recorded.call));
  for (const standing of here) yield* enter(state, standing);
  // what was kept at the gates is taken to succeed, how long that takes nobody knows
  for (const { recorded } of here) if (!passed.has(recorded.call)) yield* settle(state, recorded.call, true);
}

/** Whether a call goes on from its step: nobody who judged it kept it, and it is within its agent's limits. */
function goesOn({ policy, standing: all, fates }: ReplayState, standing: Standing): boolean {
  const { recorded, agent, bound } = standing;
  if (policy.isJudged(recorded)) {
    all.delete(standing);
    fates.set(recorded.call, recorded.fate);
    return false;
  }
  const limit = policy.limits(recorded, bound, agent);
  if (limit) {
    all.delete(standing);
    fates.set(recorded.call, limit.fate);
    if (limit.ends) agent.last = Math.min(agent.last, recorded.turn);
    return false;
  }
  agent.reserve(bound.name);
  standing.reserved = true;
  return true;
}
