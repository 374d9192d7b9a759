import { type Operation, spawn, type Task } from "effection";
import type { BoundGuard } from "../decisions/bind.ts";
import { words } from "../decisions/words.ts";
import { Later } from "../effects/later.ts";
import type { Outcome } from "../values/call.ts";
import type { Turn } from "../values/model.ts";
import type { AgentState } from "./agent-state.ts";
import { askGuards } from "./ask-guards.ts";
import { askPeople, askPerson } from "./ask-person.ts";
import { type Nest, NestContext } from "./call-execution.ts";
import type { Call } from "./call-state.ts";
import type { Ending } from "./ending.ts";
import { gateStep } from "./gate-step.ts";
import { isSpokenTo } from "./may-go-on.ts";
import { proposeReturn } from "./propose-return.ts";
import { proposeStep } from "./propose-step.ts";
import { reserveStep } from "./reserve-step.ts";
import { runCall, takePlace } from "./run-call.ts";
import { settleCall } from "./settle-call.ts";
import { type Passed, Step } from "./step.ts";

/** What a step came to. */
export type StepEnd =
  | { readonly type: "next" }
  | { readonly type: "ended"; readonly ending: Ending }
  /** It was sent back: it never was, and the model goes on from this reasoning. */
  | { readonly type: "restarted"; readonly reasoning: string };

const NEXT: StepEnd = { type: "next" };

/**
 * A turn's calls, from their gates to the model reading their results. A terminal call ends the agent once the other
 * calls of the turn have settled.
 */
export function* settleStep(agent: AgentState, turn: Turn): Operation<StepEnd> {
  const gates = gateStep(agent, turn.calls);
  const step = new Step(agent, turn.calls, gates instanceof Later ? yield* gates.operation : gates);
  let inOrder = false;
  if (agent.pool.judges) {
    const judged = yield* proposeStep(
      agent,
      turn,
      step.open().map(({ call }) => call),
    );
    if (judged.type === "restarted") return judged;
    if (judged.type === "refused") for (const at of step.open()) step.block(at, judged.outcome);
    if (judged.type === "passed") agent.todos.push(...judged.todos);
    inOrder = judged.type === "passed";
  }
  step.record();
  reserveStep(agent, step);

  const repeated = step.needsPeople ? yield* askAbout(agent, step) : NOBODY;
  if (step.isReady) yield* step.admit();
  for (const batch of batches(step.open(), repeated, inOrder)) yield* runBatch(agent, step, batch);
  for (const at of repeated) yield* runRepeated(agent, step, at);

  // calls that did not come to execute gave their part of the limit back
  if (agent.limit === "max_calls" && agent.reserved < agent.options.maxToolCalls) agent.limit = undefined;
  const ending = step.terminal && (yield* settleReturn(agent, step, step.terminal));
  if (step.isReady) yield* step.admit();
  const todos = agent.todos.length > 0 ? [words.todo(agent.todos.splice(0))] : NOTHING;
  if (step.hasMore(todos)) yield* step.say(todos);
  return ending ? { type: "ended", ending } : NEXT;
}

const NOBODY: readonly Passed[] = [];
const NOTHING: readonly string[] = [];

/**
 * No call of a step runs until all approvals that can be asked are decided. Returns the calls that nobody was asked
 * about: those that ask the same as an earlier one, which comes first.
 */
function* askAbout(agent: AgentState, step: Step): Operation<readonly Passed[]> {
  const waiting = step.open().filter((at) => at.approval !== undefined);
  const repeated = waiting.filter((at) => step.repeats(at));
  const asked = waiting.filter((at) => !repeated.includes(at));
  const refusals = yield* askPeople(asked.map(({ call, approval }) => ({ call, approval: approval! })));
  for (const [index, refusal] of refusals.entries()) if (refusal) forgo(agent, step, asked[index]!, refusal);
  return repeated;
}

/** Calls in the groups that run side by side; a barrier is alone, and where order counts each is. */
function batches(calls: readonly Passed[], later: readonly Passed[], inOrder: boolean): readonly Passed[][] {
  const found: Passed[][] = [];
  let shared = false;
  for (const at of calls) {
    if (later.includes(at)) continue;
    const alone = inOrder || at.call.bound.tool.parallel === false;
    if (shared && !alone) found.at(-1)!.push(at);
    else found.push([at]);
    shared = !alone;
  }
  return found;
}

/** One call runs in its agent's own task, several in one each. */
function* runBatch(agent: AgentState, step: Step, batch: readonly Passed[]): Operation<void> {
  for (const { call } of batch) takePlace(call);
  const [only] = batch;
  if (only && batch.length === 1) {
    step.settle(only, yield* runCall(only.call, only.lookers, agent.nest));
    if (step.isReady) yield* step.admit();
    return;
  }
  const running: Task<Outcome>[] = [];
  for (const { call, lookers } of batch) running.push(yield* spawn(() => runApart(call, lookers)));
  for (let index = 0; index < batch.length; index++) {
    step.settle(batch[index]!, yield* running[index]!);
    if (step.isReady) yield* step.admit();
  }
}

/** A call in a task of its own: pools that it opens nest in it, whatever runs beside it. */
function* runApart(call: Call, lookers: readonly BoundGuard[]): Operation<Outcome> {
  const nest: Nest = { pool: call.agent.pool, execution: undefined };
  yield* NestContext.set(nest);
  return yield* runCall(call, lookers, nest);
}

/** A call that asks the same as an earlier one of its step: a person is asked only if that one left something to ask. */
function* runRepeated(agent: AgentState, step: Step, at: Passed): Operation<void> {
  const { call, lookers, approval } = at;
  const { cohort, line } = agent.pool.run;
  const view = { lineage: agent.lineage, cohort, line, holder: agent, ticket: undefined };
  const asked = askGuards(call, lookers, view, approval);
  const verdict = asked instanceof Later ? yield* asked.operation : asked;
  const refusal =
    verdict.type === "blocked" ? verdict.outcome : yield* askPerson({ call, approval: approval! });
  if (refusal) forgo(agent, step, at, refusal);
  else yield* runBatch(agent, step, [at]);
  if (step.isReady) yield* step.admit();
}

/** A call that had its part of the limits reserved, and does not run: it gives them back. */
function forgo(agent: AgentState, step: Step, at: Passed, outcome: Outcome): void {
  agent.release(at.call.bound.name);
  step.block(at, outcome);
}

/** The terminal call ends the agent if it may. Who was spoken to meanwhile hears it first, and returns again. */
function* settleReturn(agent: AgentState, step: Step, terminal: Passed): Operation<Ending | undefined> {
  const { call, approval } = terminal;
  const since = agent.pool.run.clock.now();
  const refusal = approval === undefined ? undefined : yield* askPerson({ call, approval });
  const returned = refusal || isSpokenTo(agent) ? undefined : yield* proposeReturn(agent, call);
  const rejection = refusal ?? (returned?.type === "rejected" ? returned.outcome : undefined);
  const held: Outcome | undefined =
    rejection ??
    (isSpokenTo(agent) ? { type: "withdrawn", message: words.spokenTo(call.bound.name) } : undefined);
  step.settle(terminal, settleCall(call, held ?? { type: "ok", value: words.accepted }, since));
  return returned?.type === "ended" && !held ? returned.ending : undefined;
}
