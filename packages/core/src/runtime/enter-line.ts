import type { Operation } from "effection";
import type { BoundGuard } from "../decisions/bind.ts";
import type { Ticket } from "../decisions/line.ts";
import { waitsForItself } from "../decisions/waiting.ts";
import { words } from "../decisions/words.ts";
import type { Woken } from "../effects/parking.ts";
import type { Outcome } from "../values/call.ts";
import { askGuards } from "./ask-guards.ts";
import type { Call } from "./call-state.ts";
import { parkCall } from "./park.ts";

/**
 * Holds a call back until no earlier call in line could make it a repetition. Returns what became of it where it may
 * not run; the guards that look at what was read are asked again from its place in line.
 */
export function* enterLine(call: Call, lookers: readonly BoundGuard[]): Operation<Outcome | undefined> {
  const { agent, bound } = call;
  const { cohort, line } = agent.pool.run;
  const view = { lineage: agent.lineage, cohort, line, holder: agent, ticket: call.ticket };
  for (;;) {
    const verdict = yield* askGuards(call, lookers, view);
    if (verdict.type === "blocked") return verdict.outcome;
    const behind = verdict.behind.filter((ticket) => ticket.state === "open");
    if (behind.length === 0 && verdict.behind.length === 0) return undefined;
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
  try {
    return yield* parkCall<void>(call, {
      reason: "equal_call",
      enter(wake) {
        const waiter = { life: call.agent.life, wake: () => wake() };
        for (const earlier of behind) earlier.waiters.add(waiter);
        return () => {
          for (const earlier of behind) earlier.waiters.delete(waiter);
        };
      },
    });
  } finally {
    ticket.behind = [];
  }
}
