import type { Budget } from "../values/budget.ts";
import type { Price } from "../values/model.ts";
import type { Usage } from "../values/usage.ts";

/** What a run has used up of what it may, and what is spoken for by generations under way. */
export interface Spent {
  readonly tokens: number;
  /** US dollars. */
  readonly cost: number;
}

export const nothingSpent: Spent = { tokens: 0, cost: 0 };

export const addSpent = (a: Spent, b: Spent): Spent => ({
  tokens: a.tokens + b.tokens,
  cost: a.cost + b.cost,
});

export const lessSpent = (a: Spent, b: Spent): Spent => ({
  tokens: a.tokens - b.tokens,
  cost: a.cost - b.cost,
});

/** What a generation used. */
export function spentBy(usage: Usage, price: Price | undefined): Spent {
  const { input, output, cached } = usage;
  if (!price) return { tokens: input + output, cost: 0 };
  const cost =
    ((input - cached) * price.input + cached * (price.cached ?? price.input) + output * price.output) /
    1_000_000;
  return { tokens: input + output, cost };
}

/** Tokens a turn is expected to have before the run has seen a longer one. */
export const SHORT_TURN = 64;

/**
 * What a run can afford of two generations of this size: both, the turn and the report after it; only the report; or
 * nothing. Generations under way count with what they are expected to use.
 */
export function affords(
  budget: Pick<Budget, "maxTokens" | "maxCost">,
  spent: Spent,
  reserved: Spent,
  next: Spent,
): "turn" | "report" | "nothing" {
  const { maxTokens = Number.POSITIVE_INFINITY, maxCost = Number.POSITIVE_INFINITY } = budget;
  const fits = (times: number): boolean =>
    spent.tokens + reserved.tokens + times * next.tokens <= maxTokens &&
    spent.cost + reserved.cost + times * next.cost <= maxCost;
  return fits(2) ? "turn" : fits(1) ? "report" : "nothing";
}

const SHARES = [0.5, 0.75, 0.9];

/** The shares of a limit that were passed on the way from `before` to `after`. */
export const passed = (before: number, after: number, limit: number): number[] =>
  SHARES.filter((share) => before < share * limit && after >= share * limit);
