import { ConfigurationError, EFFORTS, type Effort, type Model } from "@agentpool/core";
import { defaultRestarts } from "./effort.ts";
import type { ReviewModels } from "./models.ts";

/** Restarts by effort. What is left out has its default: `low` 2, `medium` 3, `high` 5, `max` 10. */
export type Restarts = { readonly [effort in Exclude<Effort, "min">]?: number };

export interface ReviewerOptions {
  /** Who judges: one model for everything, or models by route (`review.tools`, `review.rules`, `review.messages`). */
  readonly models?: ReviewModels;
  /** Steps of one agent's task that may be sent back. */
  readonly restarts?: Restarts;
  /** Reports of one agent that may be sent back. */
  readonly reportRestarts?: Restarts;
  /** Milliseconds a model may take for one review, with its repair; waits are not counted. Default 60,000. */
  readonly timeoutMs?: number;
  /** Most tokens of an agent's conversation that a reviewer is shown: its beginning, and its end. Default 24,000. */
  readonly conversationTokens?: number;
}

/** Options with every default filled in. */
export interface Options {
  readonly models: ReviewModels | undefined;
  readonly restarts: Readonly<Record<Effort, number>>;
  readonly reportRestarts: Readonly<Record<Effort, number>>;
  readonly timeoutMs: number;
  /** Tokens of a conversation that a model is shown. */
  tokensFor(model: Model): number;
}

export function optionsOf(given: ReviewerOptions): Options {
  const { timeoutMs = 60_000, conversationTokens = 24_000 } = given;
  checkAbove("timeoutMs", timeoutMs);
  checkAbove("conversationTokens", conversationTokens);
  return {
    models: given.models,
    restarts: restartsOf("restarts", given.restarts),
    reportRestarts: restartsOf("reportRestarts", given.reportRestarts),
    timeoutMs,
    tokensFor: ({ contextWindow = Number.POSITIVE_INFINITY }) =>
      Math.min(conversationTokens, contextWindow / 2),
  };
}

function restartsOf(place: string, given: Restarts = {}): Readonly<Record<Effort, number>> {
  for (const [effort, count] of Object.entries(given)) {
    if (effort === "min" || !(EFFORTS as readonly string[]).includes(effort))
      throw new ConfigurationError(
        `reviewer.${place}: found ${effort}; accepted are ${EFFORTS.slice(1).join(", ")}: at min no reviews run.`,
      );
    if (!(Number.isInteger(count) && count >= 0))
      throw new ConfigurationError(
        `reviewer.${place}.${effort}: found ${count}; accepted are whole numbers from 0.`,
      );
  }
  return { ...defaultRestarts, ...given };
}

function checkAbove(place: string, value: number): void {
  if (!(value > 0))
    throw new ConfigurationError(`reviewer.${place}: found ${value}; accepted are numbers above 0.`);
}
