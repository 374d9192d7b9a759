import type { Operation } from "effection";
import type { BoundGuard } from "../decisions/bind.ts";
import type { Ticket } from "../decisions/line.ts";
import type { View } from "../decisions/view.ts";
import { waitsForItself } from "../decisions/waiting.ts";
import { words } from "../decisions/words.ts";
import { Later } from "../effects/later.ts";
import type { Woken } from "../effects/parking.ts";
import type { Outcome } from "../values/call.ts";
import { askGuards, type Verdict } from "./ask-guards.ts";
import { askPerson } from "./ask-person.ts";
import type { Call } from "./call-state.ts";
import { parkCall } from "./park.ts";
import { roomOf } from "./room.ts";

/**
 * Holds a call back until no earlier call in line could make it a repetition. Undefined: it may run; else what became
 * of it. The guards that look at what was read are asked again, from its place in line.
 */
export function enterLine(
  call: Call,
  lookers: readonly BoundGuard[],
): Outcome | undefined | Later<Outcome | undefined> {
  if (lookers.length === 0) return undefined;
  const { agent, ticket } = call;
  const { cohort, line } = agent.pool.run;
  const view: View = { lineage: agent.lineage, cohort, line, holder: agent, ticket };
  const verdict = askAgain(call, lookers, view);
  if (verdict instanceof Later) return new Later(standInLine(call, lookers, view, verdict));
  if (verdict.type === "blocked") return verdict.outcome;
  return verdict.behind.length > 0 || needsPerson(call, verdict)
    ? new Later(standInLine(call, lookers, view, verdict))
    : undefined;
}

/** Of a call that a person let run no substitute takes the place. */
const askAgain = (call: Call, lookers: readonly BoundGuard[], view: View): Verdict | Later<Verdict> =>
  askGuards(call, lookers, view, call.approved ? "a person let it run" : undefined);

/** Whether what was read meanwhile made a guard ask for a person. */
const needsPerson = (call: Call, { approval }: Extract<Verdict, { type: "clear" }>): boolean =>
  approval !== undefined && !call.approved;

function* standInLine(
  call: Call,
  lookers: readonly BoundGuard[],
  view: View,
  first: Verdict | Later<Verdict>,
): Operation<Outcome | undefined> {
  const { agent, bound } = call;
  for (let asked = first; ; asked = askAgain(call, lookers, view)) {
    const verdict = asked instanceof Later ? yield* asked.operation : asked;
    if (verdict.type === "blocked") return verdict.outcome;
    if (verdict.behind.length === 0) {
      if (!needsPerson(call, verdict)) return undefined;
      const refusal = yield* askPerson({ call, approval: verdict.approval! });
      if (refusal) return refusal;
      continue; // while the person thought, others may have read it
    }
    const behind = verdict.behind.filter((ticket) => ticket.state === "open");
    if (behind.length === 0) continue; // they settled while a guard was thinking: ask again
    if (waitsForItself(agent, behind))
      return { type: "refused", guard: "in_flight", message: words.inFlight(bound.name) };
    const woken = yield* waitBehind(call, behind);
    if (woken.type === "withdrawn") return { type: "withdrawn", message: words.withdrawn(bound.name) };
  }
}

function* waitBehind(call: Call, behind: readonly Ticket[]): Operation<Woken<void>> {
  const ticket = call.ticket!;
  ticket.behind = behind;
  roomOf(call.agent.pool.run, call.agent.model)?.settle();
  try {
    return yield* parkCall<void>(call, {
      reason: "equal_call",
      enter(wake) {
        const waiter = { life: call.agent.life, wake: () => wake() };
        for (const earlier of behind) {
          earlier.waiters ??= new Set();
          earlier.waiters.add(waiter);
        }
        return () => {
          for (const earlier of behind) earlier.waiters?.delete(waiter);
        };
      },
    });
  } finally {
    ticket.behind = [];
  }
}
