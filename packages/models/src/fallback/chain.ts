import { type Clock, type Fallback, type Model, noteFallback, useCurrentAgent } from "@agentpool/core";
import type { Operation } from "effection";
import type { Patience } from "./verdict.ts";

/** A conversation moved from one model to the next. */
export interface FallbackEvent extends Fallback {
  readonly type: "model:fallback";
  /** The agent whose conversation it is; absent where it is nobody's, as a spine before its agents. */
  readonly agent?: string;
}

/** What all conversations of a list of models share: the list, and which of them is not worth trying. */
export class Chain {
  readonly models: readonly Model[];
  readonly patience: Patience;
  readonly #onEvent: ((event: FallbackEvent) => void) | undefined;
  /** Until when a model need not be tried, and why, by its place in the list. */
  readonly #out = new Map<number, { readonly until: number; readonly reason: string }>();

  constructor(
    models: readonly Model[],
    patience: Patience,
    onEvent: ((event: FallbackEvent) => void) | undefined,
  ) {
    this.models = models;
    this.patience = patience;
    this.#onEvent = onEvent;
  }

  /** Why a model need not be tried now; undefined where it may be. */
  trouble(index: number, clock: Clock): string | undefined {
    const out = this.#out.get(index);
    if (out === undefined) return undefined;
    if (clock.now() < out.until) return out.reason;
    this.#out.delete(index);
    return undefined;
  }

  putOut(index: number, clock: Clock, forMs: number, reason: string): void {
    if (forMs > 0) this.#out.set(index, { until: clock.now() + forMs, reason });
  }

  /** The next model worth trying, else simply the next; undefined after the last. */
  after(index: number, clock: Clock): number | undefined {
    for (let next = index + 1; next < this.models.length; next++) {
      if (this.trouble(next, clock) === undefined) return next;
    }
    return index + 1 < this.models.length ? index + 1 : undefined;
  }

  /** A conversation moves: its run hears of it, and who asked to. */
  *say(from: number, to: number, reason: string): Operation<void> {
    const move = { from: this.models[from]!.id, to: this.models[to]!.id, reason };
    yield* noteFallback(move);
    if (!this.#onEvent) return;
    const agent = yield* useCurrentAgent();
    try {
      this.#onEvent({ type: "model:fallback", ...(agent ? { agent: agent.key } : {}), ...move });
    } catch {
      // Observers are fail-open.
    }
  }
}
