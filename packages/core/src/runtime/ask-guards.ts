import type { Operation } from "effection";
import { type NeedsApproval, readDecision, readReject } from "../decisions/answers.ts";
import type { BoundGuard } from "../decisions/bind.ts";
import type { Ticket } from "../decisions/line.ts";
import { Snapshot, standing, type View } from "../decisions/view.ts";
import { words } from "../decisions/words.ts";
import { Allowance } from "../effects/allowance.ts";
import { bounded, isPending } from "../effects/bounded.ts";
import { Later } from "../effects/later.ts";
import type { Answerable } from "../values/answer.ts";
import type { Outcome } from "../values/call.ts";
import type { Asked } from "./call-state.ts";
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
      /** Why a person has to be asked first; undefined: nobody has. */
      readonly approval: string | undefined;
    };

/**
 * Asks guards in order about a call, as `view` stands. With a place in line they also see what is before it.
 * `approval`: why a person is asked in any case.
 */
export function askGuards(
  call: Asked,
  guards: readonly BoundGuard[],
  view: View,
  approval?: string,
): Verdict | Later<Verdict> {
  return askFrom(0, { call, guards, view, lookers: [], behind: [], approval });
}

interface Asking {
  readonly call: Asked;
  readonly guards: readonly BoundGuard[];
  readonly view: View;
  readonly lookers: BoundGuard[];
  readonly behind: Ticket[];
  approval: string | undefined;
}

function askFrom(first: number, asking: Asking): Verdict | Later<Verdict> {
  const { call, guards, view, lookers, behind } = asking;
  for (let index = first; index < guards.length; index++) {
    const guard = guards[index]!;
    const answer = guard.type === "keyed" ? askKeyed(guard, call, view) : askLooking(guard, call, view);
    if (answer instanceof Later) return new Later(askOn(index, asking, answer));
    const blocked = heed(answer, guard, asking);
    if (blocked) return blocked;
  }
  return { type: "clear", lookers, behind, approval: asking.approval };
}

function* askOn(index: number, asking: Asking, pending: Later<Answer>): Operation<Verdict> {
  const blocked = heed(yield* pending.operation, asking.guards[index]!, asking);
  if (blocked) return blocked;
  const verdict = askFrom(index + 1, asking);
  return verdict instanceof Later ? yield* verdict.operation : verdict;
}

type Blocked = { readonly type: "blocked"; readonly outcome: Outcome };

type Answer =
  | Blocked
  /** Nothing against it; `approval`: once a person agrees. */
  | { readonly type: "clear" | "looked"; readonly approval?: string }
  | { readonly type: "behind"; readonly tickets: readonly Ticket[]; readonly approval?: string };

const CLEAR: Answer = { type: "clear" };
const LOOKED: Answer = { type: "looked" };

/** A substitute does not take the place of a person: where one is asked, it is not used, and an event says so. */
function heed(answer: Answer, guard: BoundGuard, asking: Asking): Verdict | undefined {
  switch (answer.type) {
    case "blocked":
      if (answer.outcome.type !== "substituted" || asking.approval === undefined) return answer;
      warnUnused(asking.call, guard.name, answer.outcome.value);
      return undefined;
    case "behind":
      asking.behind.push(...answer.tickets);
      break;
    case "looked":
      asking.lookers.push(guard);
      break;
  }
  asking.approval ??= answer.approval;
  return undefined;
}

function warnUnused(call: Asked, hook: string, value: unknown): void {
  const message = "its substitute is not used: a person is asked about this call";
  call.agent.pool.run.emit({
    type: "hook:warning",
    agent: call.agent.key,
    call: call.id,
    hook,
    message,
    value,
  });
}

function askKeyed(guard: Extract<BoundGuard, { type: "keyed" }>, call: Asked, view: View): Answer {
  try {
    const value = call.args.under(guard.key);
    if (value === undefined) return CLEAR;
    const at = standing(view, guard.scope, guard.key, value);
    if (at.type === "read") return blocked({ type: "refused", guard: guard.name, message: guard.message });
    return at.type === "behind" && view.ticket ? { type: "behind", tickets: [at.ticket] } : LOOKED;
  } catch (error) {
    return failed(guard, call, call.agent.pool.run.clock.now(), error);
  }
}

type Looking = Exclude<BoundGuard, { type: "keyed" }>;

/**
 * Asks a guard that looks for itself, twice where it has to be: with what is read, and as if the calls before it had
 * succeeded. Where only the second keeps the call, their outcomes decide.
 */
function askLooking(guard: Looking, call: Asked, view: View): Answer | Later<Answer> {
  const since = call.agent.pool.run.clock.now();
  const snapshot = new Snapshot(view, guard.scope, call.identity);
  try {
    const first = put(guard, new Inquiry(call, snapshot, false));
    if (isPending(first)) return new Later(lookOn(guard, call, view, snapshot, since, first));
    const answer = read(guard, first);
    if (answer?.type === "blocked") return answer;
    if (!foresees(snapshot, view)) return clear(snapshot, answer);
    const second = put(guard, new Inquiry(call, snapshot, true));
    if (isPending(second)) return new Later(foreseeOn(guard, call, snapshot, since, answer, second));
    return foreseen(snapshot, answer, read(guard, second));
  } catch (error) {
    return failed(guard, call, since, error);
  }
}

/** Whether the calls before it could change a guard's mind. */
const foresees = (snapshot: Snapshot, view: View): boolean =>
  view.ticket !== undefined && snapshot.looked && snapshot.open().length > 0;

function* lookOn(
  guard: Looking,
  call: Asked,
  view: View,
  snapshot: Snapshot,
  since: number,
  first: Answerable<unknown>,
): Operation<Answer> {
  try {
    const answer = read(guard, yield* inTime(guard, call, first));
    if (answer?.type === "blocked") return answer;
    if (!foresees(snapshot, view)) return clear(snapshot, answer);
    const second = put(guard, new Inquiry(call, snapshot, true));
    return yield* foreseeOn(guard, call, snapshot, since, answer, second);
  } catch (error) {
    return failed(guard, call, since, error);
  }
}

function* foreseeOn(
  guard: Looking,
  call: Asked,
  snapshot: Snapshot,
  since: number,
  now: NeedsApproval | undefined,
  second: Answerable<unknown>,
): Operation<Answer> {
  try {
    return foreseen(snapshot, now, read(guard, yield* inTime(guard, call, second)));
  } catch (error) {
    return failed(guard, call, since, error);
  }
}

const put = (guard: Looking, inquiry: Inquiry): Answerable<unknown> =>
  guard.type === "predicate" ? guard.reject(inquiry) : guard.decide(inquiry);

const inTime = (guard: Looking, call: Asked, answer: Answerable<unknown>): Operation<unknown> =>
  bounded(answer, new Allowance(call.agent.pool.run.clock, guard.timeoutMs));

/** What a guard's answer does to the call; undefined: nothing. Throws where it is malformed. */
function read(guard: Looking, answer: unknown): Blocked | NeedsApproval | undefined {
  if (guard.type === "predicate")
    return readReject(answer)
      ? blocked({ type: "refused", guard: guard.name, message: guard.message })
      : undefined;
  const decision = readDecision(answer, guard.name);
  return decision === undefined || decision.type === "approval" ? decision : blocked(decision);
}

/** A guard that looked is asked again; one that did not can't change its mind. */
function clear(snapshot: Snapshot, now: NeedsApproval | undefined): Answer {
  if (now) return { type: snapshot.looked ? "looked" : "clear", approval: now.reason };
  return snapshot.looked ? LOOKED : CLEAR;
}

/**
 * What it would say if the calls before this one succeeded decides whether to wait for them: that it would keep the
 * call, or ask a person whom it does not ask now.
 */
function foreseen(
  snapshot: Snapshot,
  now: NeedsApproval | undefined,
  then: Blocked | NeedsApproval | undefined,
): Answer {
  if (then?.type === "blocked" || (then && !now))
    return { type: "behind", tickets: snapshot.open(), approval: now?.reason };
  return clear(snapshot, now);
}

/** A broken guard refuses: it is there to be safe with. */
function failed(guard: BoundGuard, call: Asked, since: number, error: unknown): Answer {
  const refuses = guard.onError === "refuse";
  const place = { agent: call.agent, call: call.id, hook: guard.name, moment: "beforeDispatch", since };
  hookFailed(place, error, refuses ? "refused" : "skipped");
  return refuses
    ? blocked({ type: "refused", guard: "hook_error", message: words.hookError(guard.name) })
    : CLEAR;
}

const blocked = (outcome: Outcome): Blocked => ({ type: "blocked", outcome });
