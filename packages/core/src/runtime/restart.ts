import type { Operation } from "effection";
import { words } from "../decisions/words.ts";
import type { Outcome } from "../values/call.ts";
import type { ToolLifecycleHooks } from "../values/hooks.ts";
import type { Turn } from "../values/model.ts";
import type { AgentState } from "./agent-state.ts";

/** A turn is sent back: it never was, and the model goes on from this reasoning. */
export interface Restart {
  readonly type: "restarted";
  readonly reasoning: string;
  readonly by: string;
  readonly moment: "onPropose" | "onReturn";
}

/** Steps and returns of an agent's task that a hook may send back where it does not say. */
const MOST_RESTARTS = 10;

/** Counts a restart against the budget of the hook that asks for it; one beyond it is a refusal. */
export function restartBy(
  agent: AgentState,
  moment: Restart["moment"],
  hook: ToolLifecycleHooks,
  reasoning: string,
): Restart | { readonly type: "refused"; readonly outcome: Extract<Outcome, { type: "refused" }> } {
  const counts = agent.restarts[moment];
  const before = counts.get(hook) ?? 0;
  const limit = hook.restarts ?? MOST_RESTARTS;
  if (before >= limit)
    return { type: "refused", outcome: { type: "refused", guard: "limit", message: words.restarts(limit) } };
  counts.set(hook, before + 1);
  return { type: "restarted", reasoning, by: hook.name ?? moment, moment };
}

/** The turn leaves the conversation, and its corrected reasoning takes its place. */
export function* restartTurn(agent: AgentState, turn: Turn, restart: Restart): Operation<void> {
  const { key, pool, session } = agent;
  const { reasoning, by, moment } = restart;
  for (const [index, { tool }] of turn.calls.entries()) {
    const call = `${key}:${agent.turns}${agent.attempt > 0 ? `.${agent.attempt}` : ""}#${index}`;
    pool.run.emit({ type: "call:discarded", agent: key, call, tool });
  }
  const { turns, attempt } = agent;
  pool.run.emit({ type: "turn:restarted", agent: key, turn: turns, attempt, reasoning, by, moment });
  agent.turns--;
  pool.run.totals.turns--;
  agent.attempt++;
  yield* session.rewind(agent.step!.mark);
  yield* session.append([
    { role: "assistant", content: [{ type: "text", text: reasoning }] },
    { role: "user", content: [{ type: "text", text: words.goOn }] },
  ]);
}
