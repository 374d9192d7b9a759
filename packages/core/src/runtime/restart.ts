import type { Operation } from "effection";
import { words } from "../decisions/words.ts";
import type { Outcome } from "../values/call.ts";
import type { PoolEvent } from "../values/event.ts";
import type { ToolLifecycleHooks } from "../values/hooks.ts";
import type { Turn } from "../values/model.ts";
import type { AgentState } from "./agent-state.ts";
import { turnOf } from "./recall-agent.ts";

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

/** A turn that was sent back, as it is on record. It counts against the hook that did it, if that is still there. */
export function recallRestart(
  agent: AgentState,
  { reasoning, by, moment }: Extract<PoolEvent, { type: "turn:restarted" }>,
): Restart {
  const { pool, options, restarts } = agent;
  const hooks = [
    ...pool.hooks,
    ...pool.reviewers,
    ...[...options.tools.values()].flatMap((tool) => tool.hooks),
  ];
  const hook = hooks.find((hook) => hook[moment] && (hook.name ?? moment) === by);
  if (hook) restarts[moment].set(hook, (restarts[moment].get(hook) ?? 0) + 1);
  return { type: "restarted", reasoning, by, moment };
}

/** The turn leaves the conversation, and its corrected reasoning takes its place. */
export function* restartTurn(agent: AgentState, turn: Turn, restart: Restart): Operation<void> {
  const { reasoning } = restart;
  announce(agent, turn, restart);
  agent.turns--;
  agent.attempt++;
  yield* agent.rewind(agent.step!.mark);
  yield* agent.append([
    { role: "assistant", content: [{ type: "text", text: reasoning }] },
    { role: "user", content: [{ type: "text", text: words.goOn }] },
  ]);
}

/** The decision first: calls that are discarded follow from it. */
function announce(agent: AgentState, turn: Turn, { reasoning, by, moment }: Restart): void {
  const { key, pool, turns, attempt, past } = agent;
  const { run } = pool;
  if (!turnOf(agent)?.restarted) {
    run.totals.turns--;
    run.emit({ type: "turn:restarted", agent: key, turn: turns, attempt, reasoning, by, moment });
  }
  for (const [index, { tool }] of turn.calls.entries()) {
    const call = `${key}:${turns}${attempt > 0 ? `.${attempt}` : ""}#${index}`;
    if (!past?.calls.get(call)?.discarded) run.emit({ type: "call:discarded", agent: key, call, tool });
  }
}
