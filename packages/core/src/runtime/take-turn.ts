import type { Operation } from "effection";
import { windingOf } from "../decisions/life.ts";
import { reasonOf } from "../decisions/reason.ts";
import { spentBy } from "../decisions/spend.ts";
import { messageOfTurn } from "../decisions/turn-message.ts";
import type { Woken } from "../effects/parking.ts";
import type { Slot } from "../effects/permits.ts";
import {
  type GenerateRequest,
  GenerationError,
  type LimitReason,
  type Model,
  ModelLimitError,
  type Turn,
} from "../values/model.ts";
import { addUsage, type Usage } from "../values/usage.ts";
import type { AgentState } from "./agent-state.ts";
import { parkAgent, setPhase } from "./park.ts";
import { goOn, nextTurnOf } from "./recall-agent.ts";
import {
  fundsFor,
  mostTokens,
  NOTHING,
  reserveTokens,
  type Spender,
  spendTokens,
  waitForFunds,
} from "./spend-tokens.ts";

/** Parks per generation, with waits of 1, 2, 4, 8, 16 seconds where the provider does not say how long. */
export const MODEL_RETRIES = 5;

/**
 * One generation. A model that cannot be asked right now parks the agent, and the generation runs again: no turn and no
 * line of context is spent on it. Undefined: the run winds down.
 */
export function* takeTurn(
  agent: AgentState,
  request: GenerateRequest,
  forced: boolean,
): Operation<Turn | undefined> {
  const known = forced ? agent.past?.report : nextTurnOf(agent)?.result;
  if (known) return yield* recallTurn(agent, known);
  if (agent.past) yield* goOn(agent, forced);
  const { session } = agent;
  if (agent.past?.movedTo !== undefined) session.goOnWith?.(agent.past.movedTo);
  const { run } = agent.pool;
  const turn = agent.turns + 1;
  // the grant writes into this before its waiter resumes: a halt between the two gives it back
  const slot: Slot = { held: false };
  const limited = agent.past?.limited;
  if (limited && (yield* waitOut(agent, limited)).type === "withdrawn") return undefined;
  for (let attempt = limited ? limited.attempt + 1 : 0; ; attempt++) {
    let limit: ModelLimitError;
    let lost: Partial<Paid> | undefined;
    let giveBack = NOTHING;
    try {
      // what the model is about to read is on record
      const durable = run.recorder?.flush();
      if (durable) yield* durable;
      if (!(yield* enter(agent, slot, forced))) return undefined;
      giveBack = reserveTokens(agent);
      setPhase(agent, "generating");
      run.emit({ type: "turn:started", agent: agent.key, turn, forced });
      agent.openStep();
      agent.keepPlace();
      const deltas = yield* session.generate({ ...request, maxTokens: mostTokens(agent) });
      let next = yield* deltas.next();
      for (; !next.done; next = yield* deltas.next())
        run.emit({ type: "turn:delta", agent: agent.key, turn, delta: next.value });
      return complete(agent, next.value, turn);
    } catch (error) {
      lost = error instanceof GenerationError && error.usage ? pay(agent, error.usage) : {};
      if (!(error instanceof ModelLimitError) || attempt >= MODEL_RETRIES) {
        const message = reasonOf(error);
        run.emit({ type: "turn:failed", agent: agent.key, turn, forced, message, ...lost });
        throw error;
      }
      limit = error;
    } finally {
      giveBack();
      run.generations.release(slot);
    }
    if (!forced) agent.step = undefined;
    const woken = yield* waitForModel(agent, agent.model, limit, attempt, lost);
    if (woken.type === "withdrawn") return undefined;
  }
}

/** Waits for a permit, and for the tokens to use it. False: there will be none, or the run winds down. */
export function* enter(agent: Spender, slot: Slot, forced: boolean): Operation<boolean> {
  const { generations } = agent.pool.run;
  for (;;) {
    if (!generations.tryAcquire(slot)) yield* generations.acquire(slot, agent.life);
    if (!forced && windingOf(agent.life)) return false;
    const funds = fundsFor(agent, forced);
    if (funds === "there") return true;
    generations.release(slot);
    if (funds === "gone" || (yield* waitForFunds(agent)).type === "withdrawn") return false;
  }
}

/** Waits until a model may be asked again; `lost` is what the turn used that came to nothing, where it is the agent's. */
export function waitForModel(
  agent: AgentState,
  model: Model,
  { retryAfterMs, reason, message }: ModelLimitError,
  attempt: number,
  lost: Partial<Paid> = {},
): Operation<Woken<void>> {
  const { run } = agent.pool;
  const said = retryAfterMs !== undefined && Number.isFinite(retryAfterMs) && retryAfterMs >= 0;
  const afterMs = said ? retryAfterMs : 1_000 * 2 ** attempt;
  const until = run.clock.now() + afterMs;
  run.emit({
    type: "model:limited",
    agent: agent.key,
    model: model.id,
    reason,
    message,
    afterMs,
    attempt,
    ...lost,
  });
  return parkAgent<void>(agent, {
    reason,
    until,
    enter: (wake) => run.clock.at(until, () => wake()),
  });
}

/** A limit that is on record is waited out as it would have been: it is the same park. */
function* waitOut(
  agent: AgentState,
  { until, reason }: { readonly until: number; readonly reason: LimitReason },
): Operation<Woken<void>> {
  const { run } = agent.pool;
  const { past } = agent;
  past!.limited = undefined;
  if (until <= run.clock.now()) return { type: "woken", value: undefined };
  agent.parks--;
  run.totals.parks--;
  return yield* parkAgent<void>(agent, {
    reason,
    until,
    enter: (wake) => run.clock.at(until, () => wake()),
  });
}

/** A turn that is on record is put into the conversation as its model left it there. */
function* recallTurn(agent: AgentState, turn: Turn): Operation<Turn> {
  agent.openStep();
  if (turn.model !== undefined) agent.session.goOnWith?.(turn.model);
  const message = turn.kept ?? messageOfTurn(turn);
  yield* agent.append(message ? [message] : []);
  return turn;
}

function complete(agent: AgentState, result: Turn, turn: number): Turn {
  const { run } = agent.pool;
  if (!Array.isArray(result.calls)) throw new TypeError("the model ended its turn without a list of calls");
  const { cost } = pay(agent, result.usage);
  agent.place++;
  const { tokens } = agent.session;
  run.emit({
    type: "turn:completed",
    agent: agent.key,
    turn,
    result,
    tokens,
    ...(cost === undefined ? {} : { cost }),
  });
  return result;
}

/** What a generation used, and in US dollars where the price is known. */
interface Paid {
  readonly usage: Usage;
  readonly cost?: number;
}

/** What an agent's generation used is its and its run's, whatever came of it. */
function pay(agent: AgentState, usage: Usage): Paid {
  const { totals } = agent.pool.run;
  agent.usage = addUsage(agent.usage, usage);
  spendTokens(agent, usage);
  totals.usage = addUsage(totals.usage, usage);
  const { price } = agent.model;
  return price ? { usage, cost: spentBy(usage, price).cost } : { usage };
}
