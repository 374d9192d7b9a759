import type { Operation } from "effection";
import { windingOf } from "../decisions/life.ts";
import { reasonOf } from "../decisions/reason.ts";
import { Allowance } from "../effects/allowance.ts";
import { bounded } from "../effects/bounded.ts";
import type { Slot } from "../effects/permits.ts";
import type { Agent } from "../values/agent.ts";
import { type Ask, type Consultation, ConsultError } from "../values/consultation.ts";
import { DeadlineError } from "../values/errors.ts";
import { type GenerateRequest, GenerationError, ModelLimitError, type Turn } from "../values/model.ts";
import { addUsage, noUsage, type Usage } from "../values/usage.ts";
import type { AgentState } from "./agent-state.ts";
import { AgentContext } from "./current-agent.ts";
import { setPhase } from "./park.ts";
import { redacted } from "./redact-model.ts";
import { fundsFor, mostTokens, reserveTokens, type Spender, spendTokens } from "./spend-tokens.ts";
import { enter, MODEL_RETRIES, waitForModel } from "./take-turn.ts";

/**
 * A conversation with another model on an agent's behalf. It has a permit like any generation, what it uses is the
 * agent's and the run's, and it is no turn. The session ends with `body`. Its time runs while the model works, from
 * opening on, and not while it waits for a permit, for tokens or until it may be asked again.
 */
export function* consult<T>(
  agent: AgentState,
  how: Consultation,
  body: (ask: Ask) => Operation<T>,
): Operation<T> {
  const allowance = new Allowance(agent.pool.run.clock, how.timeoutMs);
  const account = { usage: noUsage };
  try {
    return yield* bounded(converseWith(agent, how, { allowance, account }, body), allowance);
  } catch (error) {
    throw problemOf(error, how.model.id, account);
  }
}

/** What a consultation may take, and what it has used so far. */
interface Tab {
  readonly allowance: Allowance;
  readonly account: { usage: Usage };
}

function problemOf(error: unknown, model: string, { usage }: Tab["account"]): ConsultError {
  const options = { cause: error, usage };
  if (error instanceof ConsultError) return new ConsultError(error.problem, error.message, options);
  if (error instanceof DeadlineError)
    return new ConsultError("timed_out", `${model}: no answer within ${error.ms} ms`, options);
  const reason = reasonOf(error);
  return new ConsultError("model", reason.startsWith(`${model}: `) ? reason : `${model}: ${reason}`, options);
}

function* converseWith<T>(
  agent: AgentState,
  { as, model, system }: Consultation,
  tab: Tab,
  body: (ask: Ask) => Operation<T>,
): Operation<T> {
  const { pool } = agent;
  yield* AgentContext.set(onBehalf(agent.view, as));
  const session = yield* redacted(model, pool.redactions).open({ system, tools: [] });
  const spender: Spender = { key: agent.key, life: agent.life, pool, model, session };
  return yield* body(function* (text, output) {
    yield* session.append([{ role: "user", content: [{ type: "text", text }] }]);
    const before = tab.account.usage;
    const turn = yield* generate(agent, spender, tab, { tools: [], output });
    return { ...turn, usage: usedSince(before, tab.account.usage) };
  });
}

/** What an answer has cost, attempts that came to nothing included. */
const usedSince = (before: Usage, now: Usage): Usage => ({
  input: now.input - before.input,
  output: now.output - before.output,
  cached: now.cached - before.cached,
});

function* generate(
  agent: AgentState,
  spender: Spender,
  { allowance, account }: Tab,
  request: GenerateRequest,
): Operation<Turn> {
  const { run } = agent.pool;
  const slot: Slot = { held: false };
  for (let attempt = 0; ; attempt++) {
    let limit: ModelLimitError;
    let giveBack = (): void => {};
    try {
      if (!(yield* untimed(allowance, enter(spender, slot, false)))) throw refused(agent, spender);
      giveBack = reserveTokens(spender);
      setPhase(agent, "generating");
      const turn = yield* read(spender, { ...request, maxTokens: mostTokens(spender) });
      spend(agent, spender, account, turn.usage);
      return turn;
    } catch (error) {
      if (error instanceof GenerationError && error.usage) spend(agent, spender, account, error.usage);
      if (!(error instanceof ModelLimitError) || attempt >= MODEL_RETRIES) throw error;
      limit = error;
    } finally {
      giveBack();
      run.generations.release(slot);
    }
    const woken = yield* untimed(allowance, waitForModel(agent, spender.model, limit, attempt));
    if (woken.type === "withdrawn") throw refused(agent, spender);
  }
}

/** What a consultation used is the agent's and the run's. */
function spend(agent: AgentState, spender: Spender, account: Tab["account"], usage: Usage): void {
  const { totals } = agent.pool.run;
  account.usage = addUsage(account.usage, usage);
  agent.usage = addUsage(agent.usage, usage);
  totals.usage = addUsage(totals.usage, usage);
  spendTokens(spender, usage);
}

/** A wait that costs no time of the allowance. */
function* untimed<T>(allowance: Allowance, wait: Operation<T>): Operation<T> {
  const goOn = allowance.suspend();
  try {
    return yield* wait;
  } finally {
    goOn();
  }
}

function* read({ session }: Spender, request: GenerateRequest): Operation<Turn> {
  const deltas = yield* session.generate(request);
  let next = yield* deltas.next();
  while (!next.done) next = yield* deltas.next();
  return next.value;
}

/** Why it may not generate. */
function refused({ life }: AgentState, spender: Spender): ConsultError {
  if (windingOf(life) === undefined && fundsFor(spender, false) !== "there")
    return new ConsultError("budget", "the run's budget is used up");
  return new ConsultError("withdrawn", "the run is being brought to an end");
}

/** Whom the model plays: somebody else than the agent it is consulted for. */
const onBehalf = (agent: Agent, as: string): Agent => ({
  key: `${agent.key}/${as}`,
  task: agent.task,
  parent: agent.key,
  depth: agent.depth,
  state: "generating",
  turns: 0,
  toolCallCount: 0,
  attendedCount: 0,
  refusals: [],
  parks: 0,
  usage: agent.usage,
});
