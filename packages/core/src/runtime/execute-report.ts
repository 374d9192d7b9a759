import type { Operation } from "effection";
import { words } from "../decisions/words.ts";
import { Done } from "../effects/done.ts";
import type { Outcome } from "../values/call.ts";
import type { Call } from "./call-state.ts";
import { executeCall } from "./execute-call.ts";
import { FIRST, resumptionOf } from "./resumption.ts";

const NOTHING = new Done(undefined);

/**
 * What a terminal call comes to: what its tool makes of it. It counts nowhere as a call, but is executed as one: its
 * intent is durable before it runs, and where a process ended in the middle of it, it runs again only if its tool says
 * that this does no harm. What it came to is on record before anybody is asked whether its agent may stop.
 */
export function* executeReport(call: Call): Operation<Outcome> {
  const { agent, past, bound } = call;
  const { run } = agent.pool;
  if (past?.executed) return past.executed.outcome;
  const from = past?.dispatched ? resumptionOf(call, past.dispatched.attempt) : FIRST;
  const isUnknown = from.type === "unknown";
  const outcome: Outcome =
    from.type === "unknown"
      ? { type: "error", message: words.unknownReturn(bound.name) }
      : from.type === "incomplete"
        ? { type: "error", message: words.secretLost(bound.name) }
        : yield* executeCall(call, agent.nest, from);
  agent.isUnsure ||= isUnknown;
  if (run.recorder) {
    const unknown = isUnknown ? { unknown: true as const } : {};
    run.note({ type: "record:executed", agent: agent.key, call: call.id, outcome, ...unknown });
    const isAskedAbout = [...bound.hooks, ...agent.pool.reviewers].some((hook) => hook.onReturn);
    if (isAskedAbout) yield* run.recorder.flush() ?? NOTHING;
  }
  return outcome;
}
