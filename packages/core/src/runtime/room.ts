import type { Operation } from "effection";
import { isClosing } from "../decisions/life.ts";
import type { Woken } from "../effects/parking.ts";
import type { Capacity } from "../values/model.ts";
import type { AgentState } from "./agent-state.ts";
import { setPhase } from "./park.ts";
import type { Pool } from "./pool-state.ts";
import type { Run } from "./run.ts";

/** What an agent holds of a memory beside what it shares with what it forked from, and what it was let have. */
interface Seat {
  shared: number;
  claimed: number;
}

/** An agent whose result waits for room, and one that waits to begin. */
interface Waiting {
  readonly agent: AgentState;
  readonly tokens: number;
  wake(how: "room" | "stall"): void;
}

/** Reserved for each agent, so that none begins for whom there is nothing: a task, a short result, a report. */
const SEAT = 1_024;

/**
 * A memory that sessions of a run share. Each agent has its part reserved before it begins, and the rest wait. A result
 * that does not fit waits as long as others can make room by ending; only when nobody can go on, one at a time is told
 * so, and has to do with what is left.
 */
export class Room {
  readonly #limit: number;
  readonly #seat: number;
  readonly #seats = new Map<AgentState, Seat>();
  readonly #results: Waiting[] = [];
  readonly #arrivals: Waiting[] = [];

  constructor(tokens: number, share: number) {
    this.#limit = Math.floor(tokens * share);
    this.#seat = Math.min(SEAT, Math.floor(tokens / 8));
  }

  /** How much a new agent could take beside what is held and reserved. */
  get free(): number {
    return this.#limit - this.#used();
  }

  /** Waits until an agent's part is reserved. */
  *arrive(agent: AgentState): Operation<void> {
    if (this.#arrivals.length === 0 && this.#hasSeat()) this.#take(agent);
    else if ((yield* this.#wait(this.#arrivals, agent, this.#seat)).type === "withdrawn") this.#take(agent);
  }

  /** It has forked: what it holds by then it shares, with the one it forked from or with the spine. */
  forked(agent: AgentState): void {
    const seat = this.#seats.get(agent);
    const { from, model, pool } = agent.options;
    if (seat && model) seat.shared = 0;
    else if (seat) seat.shared = from && !this.#seats.has(from) ? spineOf(pool) : agent.session.tokens;
    this.settle();
  }

  /** Waits for room for a result. Returns what there is: less than was asked for where nobody can make more. */
  *make(agent: AgentState, tokens: number): Operation<number> {
    if (this.#claim(agent, tokens)) return tokens;
    const woken = yield* this.#wait(this.#results, agent, tokens);
    return woken.type === "woken" && woken.value === "room" ? tokens : Math.max(0, this.#freeFor(agent));
  }

  /** Its result is in: what it was let have it holds now. */
  admitted(agent: AgentState): void {
    const seat = this.#seats.get(agent);
    if (seat) seat.claimed = 0;
    // one that was told of a stall may be at the next: its helpers wait too
    if (this.#results.length + this.#arrivals.length > 0) this.settle();
  }

  /** It is over. What forks of it share with it is theirs now. */
  leave(agent: AgentState): void {
    if (!this.#seats.delete(agent)) return;
    for (const [other, seat] of this.#seats)
      if (other.options.from === agent) seat.shared = Math.min(seat.shared, spineOf(other.pool));
    this.settle();
  }

  #take(agent: AgentState): void {
    this.#seats.set(agent, { shared: Number.POSITIVE_INFINITY, claimed: 0 });
  }

  #claim(agent: AgentState, tokens: number): boolean {
    const seat = this.#seats.get(agent);
    if (!seat || tokens > this.#freeFor(agent)) return false;
    seat.claimed = tokens;
    return true;
  }

  /** What an agent may still take: its own part, and what is neither held nor reserved. */
  #freeFor(agent: AgentState): number {
    const seat = this.#seats.get(agent);
    if (!seat) return 0;
    const held = heldBy(agent, seat);
    return Math.max(this.#seat - held, this.free + Math.max(held, this.#seat) - held);
  }

  #used(): number {
    let used = 0;
    const pools = new Set<Pool>();
    for (const [agent, seat] of this.#seats) {
      used += Math.max(heldBy(agent, seat), this.#seat);
      pools.add(agent.pool);
    }
    for (const pool of pools) if (!pool.forksCaller) used += spineOf(pool);
    return used;
  }

  #hasSeat(): boolean {
    return this.#seats.size === 0 || this.free >= this.#seat;
  }

  *#wait(line: Waiting[], agent: AgentState, tokens: number): Operation<Woken<"room" | "stall">> {
    const { run } = agent.pool;
    const alone = agent.calling === 0; // else it still has calls that run
    agent.parks++;
    run.totals.parks++;
    if (alone) setPhase(agent, "parked", "room");
    try {
      return yield* run.parking.park<"room" | "stall">(agent.life, (wake) => {
        const waiting: Waiting = { agent, tokens, wake };
        line.push(waiting);
        this.settle();
        return () => drop(line, waiting);
      });
    } finally {
      if (alone && !isClosing(agent.life)) setPhase(agent, "ready");
    }
  }

  /**
   * Lets in who fits; where nobody can go on, the first to wait is told so. Call it where somebody may have come to a
   * stop.
   */
  settle(): void {
    for (const waiting of [...this.#results])
      if (this.#claim(waiting.agent, waiting.tokens)) wake(this.#results, waiting, "room");
    for (let next = this.#arrivals[0]; next && this.#hasSeat(); next = this.#arrivals[0])
      this.#seatFirst(next);
    if (!this.#isStalled()) return;
    const [result] = this.#results;
    if (result) wake(this.#results, result, "stall");
    else if (this.#arrivals[0]) this.#seatFirst(this.#arrivals[0]);
  }

  #seatFirst(waiting: Waiting): void {
    this.#take(waiting.agent);
    wake(this.#arrivals, waiting, "room");
  }

  /**
   * Whether no agent that holds any of it can go on to its end: each waits for room, for those that work for it, or in
   * line. Whoever is first in line can go on, or is one of the others.
   */
  #isStalled(): boolean {
    const waiting = new Set(this.#results.map(({ agent }) => agent));
    for (const agent of this.#seats.keys())
      if (!waiting.has(agent) && !hasHelpers(agent) && !waitsInLine(agent)) return false;
    return true;
  }
}

const heldBy = ({ session }: AgentState, { shared, claimed }: Seat): number =>
  Math.max(0, (session?.tokens ?? 0) - shared) + claimed;

const spineOf = ({ spine }: Pool): number => spine?.tokens ?? 0;

function hasHelpers(agent: AgentState): boolean {
  for (const other of agent.pool.run.live) if (other !== agent && other.pool.caller === agent) return true;
  return false;
}

function waitsInLine({ tickets }: AgentState): boolean {
  for (const { state, behind } of tickets) if (state === "open" && behind.length > 0) return true;
  return false;
}

function wake(line: Waiting[], waiting: Waiting, how: "room" | "stall"): void {
  drop(line, waiting);
  waiting.wake(how);
}

function drop(line: Waiting[], waiting: Waiting): void {
  const at = line.indexOf(waiting);
  if (at >= 0) line.splice(at, 1);
}

const rooms = new WeakMap<Run, Map<Capacity, Room>>();

/** The memory that an agent's sessions share with others; undefined: each of its model has its own window. */
export function roomOf(run: Run, { capacity }: { readonly capacity?: Capacity }): Room | undefined {
  if (!capacity) return undefined;
  const known = rooms.get(run) ?? new Map<Capacity, Room>();
  rooms.set(run, known);
  let room = known.get(capacity);
  if (!room) {
    room = new Room(capacity.tokens, run.budget.context.hard);
    known.set(capacity, room);
  }
  return room;
}
