import type { Clock } from "../values/clock.ts";

/** Milliseconds that are used up only while it runs: a call's executions together, not its waits. Infinity: no end. */
export class Allowance {
  readonly total: number;
  readonly #clock: Clock;
  #left: number;
  #running: Running | undefined;
  #suspended: Running | undefined;

  /** `used`: what is gone of it already. */
  constructor(clock: Clock, ms: number, used = 0) {
    this.#clock = clock;
    this.total = ms;
    this.#left = Math.max(0, ms - used);
  }

  /** Runs until it is stopped; calls `expire` once nothing is left. */
  start(expire: () => void): void {
    this.#suspended = undefined;
    const since = this.#clock.now();
    const ends = Number.isFinite(this.#left);
    this.#running = {
      since,
      cancel: ends ? this.#clock.at(since + this.#left, expire) : () => {},
      expire,
    };
  }

  stop(): void {
    this.#suspended = undefined;
    if (!this.#running) return;
    this.#running.cancel();
    this.#left = Math.max(0, this.#left - (this.#clock.now() - this.#running.since));
    this.#running = undefined;
  }

  /** Stops it, and returns how to run it on. Once it was stopped for good meanwhile, that does nothing. */
  suspend(): () => void {
    const running = this.#running;
    if (!running) return () => {};
    this.stop();
    this.#suspended = running;
    return () => {
      if (this.#suspended === running) this.start(running.expire);
    };
  }
}

interface Running {
  readonly since: number;
  readonly cancel: () => void;
  readonly expire: () => void;
}
