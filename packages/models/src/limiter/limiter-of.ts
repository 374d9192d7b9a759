import type { Clock } from "@agentpool/core";
import { Limiter } from "./limiter.ts";

/** Limiters by provider, and those of models whose provider cannot be told. */
class Limiters {
  readonly #named = new Map<string, Limiter>();
  readonly #others = new WeakMap<object, Limiter>();

  of(provider: string | object, name: string): Limiter {
    const known = typeof provider === "string" ? this.#named.get(provider) : this.#others.get(provider);
    if (known !== undefined) return known;
    const limiter = new Limiter({ name });
    if (typeof provider === "string") this.#named.set(provider, limiter);
    else this.#others.set(provider, limiter);
    return limiter;
  }
}

const ofProcess = new Limiters();
const ofClocks = new WeakMap<Clock, Limiters>();

/** Real clocks of one machine differ by less. */
const sameTime = 60_000;

/**
 * The limiter of a provider, by a key that says which one: everybody in this process who asks it shares one, whatever
 * the run. A model whose provider cannot be told is its own key.
 *
 * A run on a clock of its own, as in tests, has its own limiters: waits are points in time, which the two don't share.
 */
export function limiterOf(provider: string | object, name: string, clock: Clock): Limiter {
  if (Math.abs(clock.now() - Date.now()) < sameTime) return ofProcess.of(provider, name);
  let limiters = ofClocks.get(clock);
  if (limiters === undefined) {
    limiters = new Limiters();
    ofClocks.set(clock, limiters);
  }
  return limiters.of(provider, name);
}
