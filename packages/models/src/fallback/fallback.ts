import { ConfigurationError, type Model, type Prefix, type Price, type Session } from "@agentpool/core";
import type { Operation } from "effection";
import { Chain, type FallbackEvent } from "./chain.ts";
import { openSession } from "./session.ts";

export interface FallbackOptions {
  /** Sees every move from one model to the next. What it throws is dropped. */
  readonly onEvent?: (event: FallbackEvent) => void;
  /** Rate limits and interruptions in a row that a conversation waits out before it moves. Default 2. */
  readonly retries?: number;
  /** Longest `Retry-After` that a conversation waits out, in milliseconds. Default 60,000. */
  readonly patienceMs?: number;
}

/**
 * Several models as one: a conversation that its model fails goes on with the next.
 *
 * ```ts
 * const model = fallback([resolveModel("anthropic/claude-haiku-4-5"), resolveModel("ollama/qwen3:8b")], {
 *   onEvent: ({ from, to, reason }) => console.error(`${from} → ${to}: ${reason}`),
 * });
 * ```
 *
 * - The next is tried when one cannot be reached, refuses the key, has no such model or no quota left, cannot be
 *   opened, or has failed `retries` times in a row with what waiting may mend. A request that is wrong stays an error.
 * - What a conversation holds moves with it: its messages are told to the next model, in the same order, so that what
 *   forks share is still the same bytes for all of them. Provider data of the model before, such as signatures of its
 *   reasoning, stays behind.
 * - Nobody moves back. Others skip a model that is down for a minute, and one that refused the key for good.
 * - Its `contextWindow` is the smallest of all, so that a conversation always fits where it moves.
 *
 * @throws ConfigurationError for an empty list.
 */
export function fallback(models: readonly Model[], options: FallbackOptions = {}): Model {
  const [first] = models;
  if (first === undefined) {
    throw new ConfigurationError("fallback: got an empty list, and takes one model or more");
  }
  if (models.length === 1) return first;
  const { onEvent, retries = 2, patienceMs = 60_000 } = options;
  const chain = new Chain(models, { retries, patienceMs }, onEvent);
  return {
    id: models.map(({ id }) => id).join(" | "),
    get contextWindow() {
      return smallest(models);
    },
    price: dearest(models),
    open: (prefix: Prefix): Operation<Session> => openSession(chain, prefix),
    *close() {
      for (const model of models) if (model.close) yield* model.close();
    },
  };
}

function smallest(models: readonly Model[]): number | undefined {
  const windows = models.flatMap(({ contextWindow }) => contextWindow ?? []);
  return windows.length === 0 ? undefined : Math.min(...windows);
}

/** A budget in dollars must hold on whichever runs; where one has no price, none can be kept. */
function dearest(models: readonly Model[]): Price | undefined {
  const prices = models.flatMap(({ price }) => price ?? []);
  if (prices.length < models.length) return undefined;
  return {
    input: Math.max(...prices.map(({ input }) => input)),
    output: Math.max(...prices.map(({ output }) => output)),
    cached: Math.max(...prices.map(({ input, cached = input }) => cached)),
  };
}
