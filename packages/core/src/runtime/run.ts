import { Keys } from "../decisions/bind.ts";
import { CallArgs } from "../decisions/call-args.ts";
import { createLife } from "../decisions/life.ts";
import { type Holder, Line, type Ticket } from "../decisions/line.ts";
import { Lineage } from "../decisions/lineage.ts";
import { nothingSpent, type Spent } from "../decisions/spend.ts";
import { ApprovalDesk } from "../effects/approval-desk.ts";
import { isPending } from "../effects/bounded.ts";
import { systemClock } from "../effects/clock.ts";
import { Desk } from "../effects/desk.ts";
import { Parking } from "../effects/parking.ts";
import { Permits } from "../effects/permits.ts";
import { Recorder } from "../effects/recorder.ts";
import type { Totals } from "../values/agent.ts";
import type { ApprovalDecision } from "../values/approval.ts";
import { type Budget, type PartialBudget, withDefaults } from "../values/budget.ts";
import type { ClientCall } from "../values/client-call.ts";
import type { Clock } from "../values/clock.ts";
import type { Happening, PoolEvent } from "../values/event.ts";
import type { Journal, Noted } from "../values/journal.ts";
import type { RecordedTree } from "../values/recorded.ts";
import { noUsage } from "../values/usage.ts";
import type { AgentState } from "./agent-state.ts";

/** What a tree of pools shares: one clock, one line, one cohort, one set of limits, one order of events. */
export interface Run {
  readonly id: string;
  /** Key of its top pool. */
  readonly key: string;
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
  /** Its record; undefined: it has none. */
  readonly recorder: Recorder | undefined;
  /** What is on record of it, and the places in line of the calls that were on their way. */
  readonly past: RecordedTree | undefined;
  readonly places: Map<string, Ticket>;
  /** Decisions on approvals that came before their call waited for them. */
  readonly decisions: Map<string, ApprovalDecision>;
  /**
   * Stamps an event, puts it on record and hands it to the observers. The value is the event: make a fresh one each
   * time.
   */
  emit(happening: Happening): void;
  /** The same for what is no part of the record, as that its agents end because the process does. */
  announce(happening: Happening): void;
  /** Puts on record what is no event: a fresh value each time. Ask whether there is a recorder first. */
  note(noted: Noted): void;
}

export interface RunOptions {
  /** Key of its top pool. */
  readonly key: string;
  readonly id?: string;
  readonly journal?: Journal;
  readonly clock?: Clock;
  readonly budget?: PartialBudget;
  readonly approvals?: ApprovalDesk;
  readonly observers: readonly Observer[];
}

/** Who sees the events of a run. */
export type Observer = (event: PoolEvent) => void;

export function createRun({
  key,
  journal,
  id = journal?.recorded[0]?.run ?? crypto.randomUUID(),
  clock = systemClock(),
  budget,
  approvals = new ApprovalDesk(),
  observers: first,
}: RunOptions): Run {
  const observers = new Set(first);
  const limits = withDefaults(budget);
  const recorder = journal && Recorder.of(journal);
  const past = recorder?.recorded.trees.get(key);
  /** Events and entries tell time in whole milliseconds: a clock may count finer. */
  const now = (): number => Math.round(clock.now());
  const run: Run = {
    id,
    key,
    clock,
    budget: limits,
    line: new Line(),
    keys: new Keys(),
    cohort: Lineage.empty(),
    parking: new Parking(),
    tools: new Permits(limits.concurrentTools),
    generations: new Permits(limits.concurrentGenerations),
    agents: new Set(past?.agents),
    live: new Set(),
    totals: {
      ...{ agents: 0, turns: 0, toolCalls: 0, attended: 0, refusals: 0, parks: 0, usage: noUsage },
      ...past?.totals,
    },
    retries: past?.retries ?? 0,
    spent: { ...nothingSpent, ...past?.spent },
    reserved: nothingSpent,
    longestTurn: past?.longestTurn ?? 0,
    refunds: new Set(),
    approvals,
    clients: new Desk("client call"),
    observers,
    recorder,
    past,
    places: new Map(),
    decisions: new Map(recorder?.recorded.decisions),
    emit(happening) {
      const event = happening as Stamped;
      event.run = id;
      event.at = now();
      if (recorder && isRecorded(event)) recorder.add(event);
      for (const observe of observers) notify(observe, event);
    },
    announce(happening) {
      const event: PoolEvent = { ...happening, run: id, at: now() };
      for (const observe of observers) notify(observe, event);
    },
    note(noted) {
      const entry = noted as Noted & { run: string; at: number };
      entry.run = id;
      entry.at = now();
      recorder?.add(entry);
    },
  };
  if (past) takeUp(run, past);
  return run;
}

/** What passes by as it happens is no part of the record. */
const isRecorded = ({ type }: PoolEvent): boolean => type !== "turn:delta" && type !== "call:progress";

/**
 * Before any agent starts: what was read is read, calls that were on their way are in line, and who watches is shown
 * what went before.
 */
function takeUp(run: Run, past: RecordedTree): void {
  for (const { identity, args } of past.reads) run.cohort.attend(identity, new CallArgs(args));
  const holders = new Map<string, Holder>();
  for (const { id, agent, identity, args, succeeded } of run.recorder!.recorded.open(past)) {
    // of another harness nobody knows who will be back: nobody waits for it
    if (!succeeded && run.recorder!.journal.force) continue;
    const holder = holders.get(agent) ?? { life: createLife(), under: [], tickets: new Set<Ticket>() };
    holders.set(agent, holder);
    const ticket = run.line.take(holder, identity, new CallArgs(args));
    if (succeeded) run.line.succeed(ticket);
    run.places.set(id, ticket);
  }
  // shown once, and then not kept
  for (const event of past.events.splice(0))
    for (const observe of run.observers) notify(observe, { ...event, past: true });
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
