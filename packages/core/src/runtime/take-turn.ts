import type { Operation } from "effection";
import { type GenerateRequest, ModelLimitError, type Turn } from "../values/model.ts";
import { addUsage } from "../values/usage.ts";
import type { AgentState } from "./agent-state.ts";
import { parkAgent, setPhase } from "./park.ts";

/** Parks per generation, with waits of 1, 2, 4, 8, 16 seconds where the provider does not say how long. */
const MODEL_RETRIES = 5;

/**
 * One generation. A rate limit parks the agent and the generation runs again: no turn, no token and no line of context
 * is spent on it. Undefined: the run winds down.
 */
export function* takeTurn(
  agent: AgentState,
  request: GenerateRequest,
  forced: boolean,
): Operation<Turn | undefined> {
  const { run } = agent.pool;
  for (let attempt = 0; ; attempt++) {
    const generated = yield* generate(agent, request, forced);
    if (generated.type === "turn") return generated.turn;
    const { error } = generated;
    if (attempt >= MODEL_RETRIES) throw error;
    const afterMs = error.retryAfterMs ?? 1_000 * 2 ** attempt;
    const until = run.clock.now() + afterMs;
    run.emit({ type: "model:limited", agent: agent.key, model: agent.model.id, afterMs, attempt });
    const woken = yield* parkAgent<void>(agent, {
      reason: "rate_limit",
      until,
      enter: (wake) => run.clock.at(until, () => wake()),
    });
    if (woken.type === "withdrawn") return undefined;
  }
}

type Generated =
  | { readonly type: "turn"; readonly turn: Turn }
  | { readonly type: "limited"; readonly error: ModelLimitError };

/** The permit is written into a slot that the `finally` already owns when the wait for it begins. */
function* generate(agent: AgentState, request: GenerateRequest, forced: boolean): Operation<Generated> {
  const { run } = agent.pool;
  const { session } = agent;
  const slot = { held: false };
  try {
    yield* run.generations.acquire(slot, agent.life);
    setPhase(agent, "generating");
    const turn = agent.turns + 1;
    run.emit({ type: "turn:started", agent: agent.key, turn, forced });
    agent.step ??= { mark: session.mark(), reads: agent.lineage.length };
    const deltas = yield* session.generate(request);
    for (;;) {
      const next = yield* deltas.next();
      if (next.done) return { type: "turn", turn: complete(agent, next.value, turn) };
      run.emit({ type: "turn:delta", agent: agent.key, turn, delta: next.value });
    }
  } catch (error) {
    if (!forced) agent.step = undefined;
    if (error instanceof ModelLimitError) return { type: "limited", error };
    throw error;
  } finally {
    run.generations.release(slot);
  }
}

function complete(agent: AgentState, result: Turn, turn: number): Turn {
  const { run } = agent.pool;
  agent.usage = addUsage(agent.usage, result.usage);
  run.totals.usage = addUsage(run.totals.usage, result.usage);
  run.emit({ type: "turn:completed", agent: agent.key, turn, result, tokens: agent.session.tokens });
  return result;
}
