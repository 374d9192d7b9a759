import type { Operation } from "effection";
import type { Life } from "../decisions/life.ts";
import {
  addSpent,
  affords,
  lessSpent,
  nothingSpent,
  passed,
  SHORT_TURN,
  type Spent,
  spentBy,
} from "../decisions/spend.ts";
import type { Woken } from "../effects/parking.ts";
import type { Model, Session } from "../values/model.ts";
import type { Usage } from "../values/usage.ts";
import type { Run } from "./run.ts";

/** Whoever generates on the run's budgets: an agent, or a model that is consulted on its behalf. */
export interface Spender {
  readonly key: string;
  readonly session: Session;
  readonly model: Model;
  readonly life: Life;
  readonly pool: { readonly run: Run };
}

/** What the next generation of an agent is expected to use: what it holds, and as much as the run's longest turn. */
function expected({ session, model, pool: { run } }: Spender): Spent {
  const output = Math.max(SHORT_TURN, run.longestTurn);
  return spentBy({ input: session.tokens, output, cached: 0 }, model.price);
}

/** The most a generation that reserved its part may say, so that no turn is longer than what is left. */
export function mostTokens({ session, pool: { run } }: Spender): number | undefined {
  const { maxTokens } = run.budget;
  if (maxTokens === undefined) return undefined;
  const own = session.tokens + Math.max(SHORT_TURN, run.longestTurn);
  const others = run.reserved.tokens - own;
  return Math.max(1, maxTokens - run.spent.tokens - others - session.tokens);
}

const isLimited = ({ pool: { run } }: Spender): boolean =>
  run.budget.maxTokens !== undefined || run.budget.maxCost !== undefined;

/** What the run's budget lets an agent do once those who generate now have used nothing of what they reserved. */
export function canAfford(agent: Spender): ReturnType<typeof affords> {
  const { run } = agent.pool;
  return isLimited(agent) ? affords(run.budget, run.spent, nothingSpent, expected(agent)) : "turn";
}

/** Whether a generation can be paid for: now, once others gave back what they reserved, or never. */
export function fundsFor(agent: Spender, forced: boolean): "there" | "reserved" | "gone" {
  if (!isLimited(agent)) return "there";
  const { run } = agent.pool;
  const enough = (reserved: Spent): boolean => {
    const what = affords(run.budget, run.spent, reserved, expected(agent));
    return what === "turn" || (forced && what === "report");
  };
  return enough(run.reserved) ? "there" : enough(nothingSpent) ? "reserved" : "gone";
}

/** Waits, holding nothing, until some generation gave back what it had reserved. */
export function waitForFunds({ pool: { run }, life }: Spender): Operation<Woken<void>> {
  return run.parking.park<void>(life, (wake) => {
    const refunded = (): void => wake();
    run.refunds.add(refunded);
    return () => run.refunds.delete(refunded);
  });
}

/** Gives back what was not reserved. */
export const NOTHING = (): void => {};

/** Reserves what a generation is expected to use; the function it returns gives that back. */
export function reserveTokens(agent: Spender): () => void {
  const { run } = agent.pool;
  if (!isLimited(agent)) return NOTHING;
  const reserved = expected(agent);
  run.reserved = addSpent(run.reserved, reserved);
  return () => {
    run.reserved = lessSpent(run.reserved, reserved);
    for (const refunded of [...run.refunds]) refunded();
  };
}

/** Books what a generation used, and announces each share of a limit once, as it is passed. */
export function spendTokens(agent: Spender, usage: Usage): void {
  const { run } = agent.pool;
  run.longestTurn = Math.max(run.longestTurn, usage.output);
  const before = run.spent;
  run.spent = addSpent(before, spentBy(usage, agent.model.price));
  const { maxTokens, maxCost } = run.budget;
  if (maxTokens !== undefined) announce(agent, "maxTokens", before.tokens, run.spent.tokens, maxTokens);
  if (maxCost !== undefined) announce(agent, "maxCost", before.cost, run.spent.cost, maxCost);
}

function announce(agent: Spender, budget: string, before: number, used: number, limit: number): void {
  const { run } = agent.pool;
  for (const share of passed(before, used, limit))
    run.emit({ type: "budget:threshold", budget, share, used, limit });
  if (before < limit && used >= limit)
    run.emit({ type: "budget:exhausted", agent: agent.key, budget, limit });
}
