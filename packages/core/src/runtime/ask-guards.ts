import type { Operation } from "effection";
import { readDecision, readReject } from "../decisions/answers.ts";
import type { BoundGuard } from "../decisions/bind.ts";
import type { Ticket } from "../decisions/line.ts";
import { Snapshot, standing, type View } from "../decisions/view.ts";
import { words } from "../decisions/words.ts";
import { Allowance } from "../effects/allowance.ts";
import { bounded, isPending } from "../effects/bounded.ts";
import type { Answerable } from "../values/answer.ts";
import type { Outcome } from "../values/call.ts";
import type { Call } from "./call-state.ts";
import { hookFailed } from "./hook-failure.ts";
import { Inquiry } from "./inquiry.ts";

/** What a call's guards said together. */
export type Verdict =
  /** One of them keeps it from running; the first to say so counts. */
  | { readonly type: "blocked"; readonly outcome: Outcome }
  /** None does. */
  | {
      readonly type: "clear";
      /** Those that looked at what was read: they may change their mind when others read. */
      readonly lookers: readonly BoundGuard[];
      /** Earlier calls in line that would change it, were they to succeed. */
      readonly behind: readonly Ticket[];
    };

/** Asks guards in order about a call, as `view` stands. With a place in line they also see what is before it. */
export function* askGuards(call: Call, guards: readonly BoundGuard[], view: View): Operation<Verdict> {
  const lookers: BoundGuard[] = [];
  const behind: Ticket[] = [];
  for (const guard of guards) {
    const answer =
      guard.type === "keyed" ? askKeyed(guard, call, view) : yield* askLooking(guard, call, view);
    if (answer.type === "blocked") return answer;
    if (answer.type === "looked") lookers.push(guard);
    if (answer.type === "behind") behind.push(...answer.tickets);
  }
  return { type: "clear", lookers, behind };
}

type Answer =
  | { readonly type: "blocked"; readonly outcome: Outcome }
  | { readonly type: "clear" }
  | { readonly type: "looked" }
  | { readonly type: "behind"; readonly tickets: readonly Ticket[] };

const CLEAR: Answer = { type: "clear" };
const LOOKED: Answer = { type: "looked" };

function askKeyed(guard: Extract<BoundGuard, { type: "keyed" }>, call: Call, view: View): Answer {
  const since = call.agent.pool.run.clock.now();
  try {
    const value = guard.key.of(call.args);
    if (value === undefined) return CLEAR;
    const at = standing(view, guard.scope, guard.key, value);
    if (at.type === "read") return blocked({ type: "refused", guard: guard.name, message: guard.message });
    return at.type === "behind" && view.ticket ? { type: "behind", tickets: [at.ticket] } : LOOKED;
  } catch (error) {
    return failed(guard, call, since, error);
  }
}

/**
 * Asks a guard that looks for itself, twice where it has to be: with what is read, and as if the calls before it had
 * succeeded. Where only the second keeps the call, their outcomes decide.
 */
function* askLooking(guard: Looking, call: Call, view: View): Operation<Answer> {
  const since = call.agent.pool.run.clock.now();
  const snapshot = new Snapshot(view, guard.scope, call.identity);
  try {
    const outcome = yield* put(guard, call, new Inquiry(call, snapshot, false));
    if (outcome) return blocked(outcome);
    if (!snapshot.looked) return CLEAR;
    if (!view.ticket || snapshot.open().length === 0) return LOOKED;
    return (yield* put(guard, call, new Inquiry(call, snapshot, true)))
      ? { type: "behind", tickets: snapshot.open() }
      : LOOKED;
  } catch (error) {
    return failed(guard, call, since, error);
  }
}

type Looking = Exclude<BoundGuard, { type: "keyed" }>;

function* put(guard: Looking, call: Call, inquiry: Inquiry): Operation<Outcome | undefined> {
  let answer: Answerable<unknown> =
    guard.type === "predicate" ? guard.reject(inquiry) : guard.decide(inquiry);
  if (isPending(answer))
    answer = yield* bounded(answer, new Allowance(call.agent.pool.run.clock, guard.timeoutMs));
  if (guard.type === "deciding") return readDecision(answer, guard.name);
  return readReject(answer) ? { type: "refused", guard: guard.name, message: guard.message } : undefined;
}

/** A broken guard refuses: it is there to be safe with. */
function failed(guard: BoundGuard, call: Call, since: number, error: unknown): Answer {
  const refuses = guard.onError === "refuse";
  const place = { agent: call.agent, call: call.id, hook: guard.name, moment: "beforeDispatch", since };
  hookFailed(place, error, refuses ? "refused" : "skipped");
  return refuses
    ? blocked({ type: "refused", guard: "hook_error", message: words.hookError(guard.name) })
    : CLEAR;
}

const blocked = (outcome: Outcome): Answer => ({ type: "blocked", outcome });
