import type { CallArgs, Key } from "./call-args.ts";
import { isClosing, type Life } from "./life.ts";

/** Who stands in line: an agent, and the calls it runs under, nearest last. */
export interface Holder {
  readonly life: Life;
  readonly under: readonly Ticket[];
  readonly tickets: Set<Ticket>;
}

/** A call's place in the line of its tree of pools. Every wait goes from a later ticket to an earlier one. */
export interface Ticket {
  readonly order: number;
  readonly identity: string;
  readonly args: CallArgs;
  /** Who holds it: of a call that a record left on its way, nobody until its agent is back. */
  holder: Holder;
  /**
   * `open` until its outcome is final; `succeeded` from then until it is admitted, and counts as read; `left` once it
   * is in nobody's way.
   */
  state: "open" | "succeeded" | "left";
  /** What it waits for. Empty while it runs. */
  behind: readonly Ticket[];
  /** Woken when it settles. */
  waiters: Set<Waiter> | undefined;
  /** Agents of the pools that its call opened. */
  delegates: Set<Holder> | undefined;
}

export interface Waiter {
  readonly life: Life;
  wake(): void;
}

/** Calls that passed their gates, in order, from there until their results are read. */
export class Line {
  #next = 0;
  readonly #tickets = new Map<string, Set<Ticket>>();
  readonly #queues = new Map<string, Map<Key, Map<string, Ticket[]>>>();

  /** Keeps a queue for each value of this key, so that equal calls find each other in constant time. */
  register(key: Key): void {
    const keys = this.#queues.get(key.identity) ?? new Map<Key, Map<string, Ticket[]>>();
    this.#queues.set(key.identity, keys);
    if (keys.has(key)) return;
    const queues = new Map<string, Ticket[]>();
    keys.set(key, queues);
    for (const ticket of this.#tickets.get(key.identity) ?? [])
      enqueue(queues, ticket.args.recordedUnder(key), ticket);
  }

  take(holder: Holder, identity: string, args: CallArgs): Ticket {
    const ticket: Ticket = {
      order: this.#next++,
      identity,
      args,
      holder,
      state: "open",
      behind: NONE,
      waiters: undefined,
      delegates: undefined,
    };
    holder.tickets.add(ticket);
    const tickets = this.#tickets.get(identity);
    if (tickets) tickets.add(ticket);
    else this.#tickets.set(identity, new Set([ticket]));
    const keys = this.#queues.get(identity);
    if (keys) for (const [key, queues] of keys) enqueue(queues, args.recordedUnder(key), ticket);
    return ticket;
  }

  /** Its agent is back: what was in line for it is its own again. */
  hand(ticket: Ticket, holder: Holder): void {
    ticket.holder.tickets.delete(ticket);
    ticket.holder = holder;
    holder.tickets.add(ticket);
  }

  /** A holder begins to work for the call it runs under, and the function it returns ends that. */
  delegate(holder: Holder): () => void {
    const caller = holder.under.at(-1);
    if (!caller) return () => {};
    caller.delegates ??= new Set();
    caller.delegates.add(holder);
    return () => caller.delegates?.delete(holder);
  }

  /** Its call succeeded: it counts as read until it is admitted. */
  succeed(ticket: Ticket): void {
    ticket.state = "succeeded";
    wake(ticket);
  }

  /** Its call was admitted, or did not succeed, or its agent ended: it is in nobody's way any more. */
  leave(ticket: Ticket): void {
    if (ticket.state === "left") return;
    ticket.state = "left";
    ticket.holder.tickets.delete(ticket);
    const tickets = this.#tickets.get(ticket.identity);
    tickets?.delete(ticket);
    if (tickets?.size === 0) this.#tickets.delete(ticket.identity);
    const keys = this.#queues.get(ticket.identity);
    if (keys) for (const [key, queues] of keys) dequeue(queues, ticket.args.recordedUnder(key), ticket);
    wake(ticket);
  }

  /** Tickets of a tool, in line order. */
  of(identity: string): Iterable<Ticket> {
    return this.#tickets.get(identity) ?? NONE;
  }

  /** Tickets with an equal key, in line order. */
  equal(key: Key, value: string): readonly Ticket[] {
    return this.#queues.get(key.identity)?.get(key)?.get(value) ?? NONE;
  }

  /** Calls in line. */
  get size(): number {
    let size = 0;
    for (const tickets of this.#tickets.values()) size += tickets.size;
    return size;
  }
}

const NONE: readonly Ticket[] = [];

function enqueue(queues: Map<string, Ticket[]>, value: string | undefined, ticket: Ticket): void {
  if (value === undefined) return;
  const queue = queues.get(value);
  if (queue) queue.push(ticket);
  else queues.set(value, [ticket]);
}

function dequeue(queues: Map<string, Ticket[]>, value: string | undefined, ticket: Ticket): void {
  const queue = value === undefined ? undefined : queues.get(value);
  if (!queue) return;
  if (queue.length > 1) queue.splice(queue.indexOf(ticket), 1);
  else queues.delete(value!);
}

/** Nobody who is ending is woken: halting must not start anything. */
function wake(ticket: Ticket): void {
  const { waiters } = ticket;
  ticket.waiters = undefined;
  if (waiters) for (const waiter of waiters) if (!isClosing(waiter.life)) waiter.wake();
}
