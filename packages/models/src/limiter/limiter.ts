import { type Clock, type LimitReason, ModelLimitError } from "@agentpool/core";
import { action, type Operation } from "effection";
import { firstPace, type Pace, slowedDown, spedUp } from "./pace.ts";

/** The provider asked everybody to wait: the request was not sent. */
export class HeldBackError extends ModelLimitError {}

export interface LimiterOptions {
  /** Who is asked, for messages. */
  readonly name?: string;
  /** Most requests at once, however well it goes. Default 64. */
  readonly concurrency?: number;
}

/** How a request ended, as far as its pace is concerned. */
export type Ended =
  | { readonly type: "answered" }
  /** It was told to slow down, or the server was in trouble. */
  | {
      readonly type: "limited";
      readonly retryAfterMs: number | undefined;
      /** Default `rate_limit`. */
      readonly reason?: LimitReason;
    }
  | { readonly type: "failed" }
  /** Its reader is gone. */
  | { readonly type: "abandoned" };

/**
 * A request's place at the provider. The grant writes into it before its waiter resumes, and whoever asked leaves in a
 * `finally` entered before the wait: a halt between the two loses nothing.
 */
export interface Place {
  held: boolean;
  /** How often the pace had been slowed when it began. */
  era: number;
}

/**
 * Keeps everybody who asks one provider at a pace that the provider answers: so many requests at once, and so far
 * apart. It starts without restraint, halves when it is told to slow down, and grows slowly with every answer. A
 * `Retry-After` holds everybody.
 *
 * Waits are on the clock of whoever waits, first come first served. A wait that is known to be long is not waited out
 * here: it is a {@link HeldBackError} with the time that is left, so that a pool parks the agent and others can go on.
 */
export class Limiter {
  readonly name: string;
  /** Whether the provider has ever answered: one that has is worth waiting for when it is away. */
  answered = false;
  readonly #concurrency: number;
  readonly #waiting = new Set<Waiter>();
  #pace: Pace;
  #held = 0;
  /** When the next request may start, in the time of those who ask. */
  #nextAt = Number.NEGATIVE_INFINITY;
  /** Why everybody was slowed down last. */
  #reason: LimitReason = "rate_limit";
  #era = { number: 0, since: 0, starts: 0 };
  /** Takes back the first waiter's alarm. */
  #disarm: (() => void) | undefined;

  constructor({ name = "the model", concurrency = 64 }: LimiterOptions = {}) {
    this.name = name;
    this.#concurrency = concurrency;
    this.#pace = firstPace({ concurrency });
  }

  get pace(): Pace {
    return this.#pace;
  }

  /** Requests under way. */
  get held(): number {
    return this.#held;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Waits until the provider may be asked. Throws {@link HeldBackError} where that is known to take long. */
  *enter(place: Place, clock: Clock): Operation<void> {
    this.#refuseLongWait(clock);
    if (this.#waiting.size === 0 && this.#isFree && this.#nextAt <= clock.now()) {
      this.#grant({ place, clock });
      return;
    }
    yield* action<void>((resolve, reject) => {
      const waiter: Waiter = { place, clock, wake: resolve, refuse: reject };
      this.#waiting.add(waiter);
      this.#admit();
      return () => {
        if (!this.#waiting.delete(waiter)) return;
        this.#admit();
      };
    });
  }

  /** Gives a place back. Does nothing where none is held. */
  leave(place: Place, clock: Clock | undefined, ended: Ended): void {
    if (!place.held) return;
    place.held = false;
    const load = this.#held--;
    if (ended.type === "answered") {
      this.answered = true;
      if (place.era === this.#era.number) this.#pace = spedUp(this.#pace, { concurrency: this.#concurrency });
    } else if (ended.type === "limited" && clock !== undefined) {
      this.answered = true;
      this.#reason = ended.reason ?? "rate_limit";
      this.#slowDown(place, clock, load, ended.retryAfterMs);
    }
    // A reader that is gone may be the first of many: whoever goes with it has left by then.
    if (ended.type === "abandoned") queueMicrotask(() => this.#admit());
    else this.#admit();
  }

  /** Milliseconds that everybody is held back by, 0 where nobody is. */
  heldBackFor(clock: Clock): number {
    return Math.max(0, this.#nextAt - clock.now());
  }

  get #isFree(): boolean {
    return this.#held < Math.floor(this.#pace.window);
  }

  #slowDown(place: Place, clock: Clock, held: number, retryAfterMs: number | undefined): void {
    const now = clock.now();
    // Those who started at the old pace all say the same.
    if (place.era === this.#era.number) {
      const { since, starts } = this.#era;
      this.#pace = slowedDown(this.#pace, { held, spacing: starts > 1 ? (now - since) / starts : 0 });
      this.#era = { number: this.#era.number + 1, since: now, starts: 0 };
    }
    this.#nextAt = Math.max(this.#nextAt, now + (retryAfterMs ?? this.#pace.spacing));
    for (const waiter of [...this.#waiting]) {
      const ms = this.heldBackFor(waiter.clock);
      if (ms > longWait && this.#waiting.delete(waiter)) waiter.refuse(this.#heldBack(ms));
    }
  }

  #refuseLongWait(clock: Clock): void {
    const ms = this.heldBackFor(clock);
    if (ms > longWait) throw this.#heldBack(ms);
  }

  #heldBack(ms: number): HeldBackError {
    const why = this.#reason === "rate_limit" ? "asked to wait" : `is ${this.#reason}`;
    return new HeldBackError(`${this.name} ${why}; nothing was sent`, ms, { reason: this.#reason });
  }

  /** Lets in whoever may go, and sets an alarm for whoever is next. */
  #admit(): void {
    this.#disarm?.();
    this.#disarm = undefined;
    for (const waiter of this.#waiting) {
      if (!this.#isFree) return;
      if (this.heldBackFor(waiter.clock) > 0) {
        this.#disarm = waiter.clock.at(this.#nextAt, () => this.#admit());
        return;
      }
      this.#waiting.delete(waiter);
      this.#grant(waiter);
      waiter.wake();
    }
  }

  #grant({ place, clock }: Pick<Waiter, "place" | "clock">): void {
    const now = clock.now();
    place.held = true;
    place.era = this.#era.number;
    this.#held++;
    this.#nextAt = now + this.#pace.spacing;
    if (this.#era.starts++ === 0) this.#era.since = now;
  }
}

/** A wait of more milliseconds is not waited out here. */
export const longWait = 5_000;

interface Waiter {
  readonly place: Place;
  readonly clock: Clock;
  wake(): void;
  refuse(error: HeldBackError): void;
}
