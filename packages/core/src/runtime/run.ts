import { Keys } from "../decisions/bind.ts";
import { Line } from "../decisions/line.ts";
import { Lineage } from "../decisions/lineage.ts";
import { nothingSpent, type Spent } from "../decisions/spend.ts";
import { ApprovalDesk } from "../effects/approval-desk.ts";
import { isPending } from "../effects/bounded.ts";
import { systemClock } from "../effects/clock.ts";
import { Desk } from "../effects/desk.ts";
import { Parking } from "../effects/parking.ts";
import { Permits } from "../effects/permits.ts";
import type { Totals } from "../values/agent.ts";
import { type Budget, type PartialBudget, withDefaults } from "../values/budget.ts";
import type { ClientCall } from "../values/client-call.ts";
import type { Clock } from "../values/clock.ts";
import type { Happening, PoolEvent } from "../values/event.ts";
import { noUsage } from "../values/usage.ts";
import type { AgentState } from "./agent-state.ts";

/** What a tree of pools shares: one clock, one line, one cohort, one set of limits, one order of events. */
export interface Run {
  readonly id: string;
  readonly clock: Clock;
  readonly budget: Budget;
  readonly line: Line;
  readonly keys: Keys;
  /** Everything any agent of the tree has read. */
  readonly cohort: Lineage;
  readonly parking: Parking;
  readonly tools: Permits;
  readonly generations: Permits;
  /** Keys of all agents so far: a key names one agent. */
  readonly agents: Set<string>;
  /** Agents that are not over. */
  readonly live: Set<AgentState>;
  readonly totals: { -readonly [K in keyof Totals]: Totals[K] };
  /** Parked retries so far. */
  retries: number;
  /** What generations used, and what those under way are expected to. */
  spent: Spent;
  reserved: Spent;
  /** The longest turn any agent had, in tokens. */
  longestTurn: number;
  /** Called when a generation gives back what it had reserved. */
  readonly refunds: Set<() => void>;
  /** Calls that wait for people, and for clients. */
  readonly approvals: ApprovalDesk;
  readonly clients: Desk<ClientCall, unknown>;
  /** Who sees its events. */
  readonly observers: Set<Observer>;
  /** Stamps an event and hands it to the observers. The value is the event: make a fresh one each time. */
  emit(happening: Happening): void;
}

export interface RunOptions {
  readonly id?: string;
  readonly clock?: Clock;
  readonly budget?: PartialBudget;
  readonly approvals?: ApprovalDesk;
  readonly observers: readonly Observer[];
}

/** Who sees the events of a run. */
export type Observer = (event: PoolEvent) => void;

export function createRun({
  id = crypto.randomUUID(),
  clock = systemClock(),
  budget,
  approvals = new ApprovalDesk(),
  observers: first,
}: RunOptions): Run {
  const observers = new Set(first);
  const limits = withDefaults(budget);
  return {
    id,
    clock,
    budget: limits,
    line: new Line(),
    keys: new Keys(),
    cohort: Lineage.empty(),
    parking: new Parking(),
    tools: new Permits(limits.concurrentTools),
    generations: new Permits(limits.concurrentGenerations),
    agents: new Set(),
    live: new Set(),
    totals: { agents: 0, turns: 0, toolCalls: 0, attended: 0, refusals: 0, parks: 0, usage: noUsage },
    retries: 0,
    spent: nothingSpent,
    reserved: nothingSpent,
    longestTurn: 0,
    refunds: new Set(),
    approvals,
    clients: new Desk("client call"),
    observers,
    emit(happening) {
      const event = happening as Stamped;
      event.run = id;
      event.at = clock.now();
      for (const observe of observers) notify(observe, event);
    },
  };
}

/** An event as it is stamped, in place: one object each, however many there are. */
type Stamped = Happening & { run: string; at: number };

/** Observers are fail-open: one that throws, or promises and rejects, is none of the run's business. */
function notify(observe: Observer, event: PoolEvent): void {
  try {
    const answer: unknown = observe(event);
    if (isPending(answer)) Promise.resolve(answer).catch(() => {});
  } catch {}
}
