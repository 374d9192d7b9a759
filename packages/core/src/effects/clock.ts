import { action, createContext, type Operation } from "effection";
import type { Clock } from "../values/clock.ts";

/** An entry of a clock's queue: a binary heap by time, then by order of entry. */
interface Entry {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
  /** Its place in the heap; -1 once it is out. */
  index: number;
}

/** What is due next, removable from the middle. */
class Schedule {
  readonly #heap: Entry[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  get next(): Entry | undefined {
    return this.#heap[0];
  }

  add(at: number, fire: () => void): Entry {
    const entry: Entry = { at, order: this.#order++, fire, index: this.#heap.length };
    this.#heap.push(entry);
    this.#up(entry);
    return entry;
  }

  remove(entry: Entry): void {
    if (entry.index < 0) return;
    const last = this.#heap.pop()!;
    if (last !== entry) {
      this.#put(last, entry.index);
      this.#up(last);
      this.#down(last);
    }
    entry.index = -1;
  }

  #put(entry: Entry, index: number): void {
    this.#heap[index] = entry;
    entry.index = index;
  }

  #up(entry: Entry): void {
    while (entry.index > 0) {
      const parent = this.#heap[(entry.index - 1) >> 1]!;
      if (!before(entry, parent)) return;
      this.#swap(entry, parent);
    }
  }

  #down(entry: Entry): void {
    for (;;) {
      const left = this.#heap[2 * entry.index + 1];
      const right = this.#heap[2 * entry.index + 2];
      const child = right && left && before(right, left) ? right : left;
      if (!child || !before(child, entry)) return;
      this.#swap(child, entry);
    }
  }

  #swap(a: Entry, b: Entry): void {
    const index = a.index;
    this.#put(a, b.index);
    this.#put(b, index);
  }
}

const before = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Real time with one timer, however many wait. Nothing waits: no timer. */
export function systemClock(): Clock {
  const schedule = new Schedule();
  let timer: { readonly at: number; readonly handle: NodeJS.Timeout } | undefined;
  const origin = performance.timeOrigin;
  const now = (): number => origin + performance.now();

  function arm(): void {
    const next = schedule.next;
    if (next && timer && timer.at <= next.at) return; // fires early and arms itself again
    if (timer) clearTimeout(timer.handle);
    timer = next && {
      at: next.at,
      handle: setTimeout(ring, Math.min(Math.max(0, next.at - now()), LONGEST)),
    };
  }

  function ring(): void {
    timer = undefined;
    try {
      for (let due = schedule.next; due && due.at <= now(); due = schedule.next) {
        schedule.remove(due);
        due.fire();
      }
    } finally {
      arm();
    }
  }

  return {
    now,
    at(when, fire) {
      const entry = schedule.add(when, fire);
      arm();
      return () => {
        schedule.remove(entry);
        arm();
      };
    },
  };
}

/** What a timer of Node can count to: 2³¹-1 ms. */
const LONGEST = 2_147_483_647;

/** Time that stands still until it is told to go on. For tests and simulations. */
export interface ManualClock extends Clock {
  /** How many wait. */
  readonly pending: number;
  /** Goes to the next thing due and fires it; false where nothing waits. */
  step(): boolean;
  /** Goes on by so many milliseconds and fires what falls due on the way. */
  advance(ms: number): void;
}

export function manualClock(start = 0): ManualClock {
  const schedule = new Schedule();
  let time = start;
  function step(): boolean {
    const next = schedule.next;
    if (!next) return false;
    schedule.remove(next);
    time = Math.max(time, next.at);
    next.fire();
    return true;
  }
  return {
    now: () => time,
    at(when, fire) {
      const entry = schedule.add(when, fire);
      return () => schedule.remove(entry);
    },
    get pending() {
      return schedule.size;
    },
    step,
    advance(ms) {
      const until = time + ms;
      while (schedule.next && schedule.next.at <= until) step();
      time = until;
    },
  };
}

export const ClockContext = createContext<Clock>("agentpool:clock");

/** The clock of the pool this runs in; real time outside of one. */
export function* useClock(): Operation<Clock> {
  return (yield* ClockContext.get()) ?? systemClock();
}

/** Waits on a clock. */
export const sleepOn = (clock: Clock, ms: number): Operation<void> =>
  action((resolve) => clock.at(clock.now() + ms, () => resolve()));
