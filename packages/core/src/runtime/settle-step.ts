import { type Operation, spawn, type Task } from "effection";
import type { BoundGuard } from "../decisions/bind.ts";
import { isConsequentialIn } from "../decisions/reviews.ts";
import { words } from "../decisions/words.ts";
import { Later } from "../effects/later.ts";
import type { Outcome } from "../values/call.ts";
import type { Turn } from "../values/model.ts";
import type { AgentState } from "./agent-state.ts";
import { askGuards } from "./ask-guards.ts";
import { askPeople, askPerson } from "./ask-person.ts";
import { type Nest, NestContext } from "./call-execution.ts";
import type { Call } from "./call-state.ts";
import { gateStep } from "./gate-step.ts";
import { isSpokenTo } from "./may-go-on.ts";
import { proposeReturn, type Return, recallReturn } from "./propose-return.ts";
import { proposeStep } from "./propose-step.ts";
import { turnOf } from "./recall-agent.ts";
import { recallStep, recordStep } from "./recall-step.ts";
import { reserveStep } from "./reserve-step.ts";
import type { Restart } from "./restart.ts";
import { runCall, takePlace } from "./run-call.ts";
import { settleCall } from "./settle-call.ts";
import { type Passed, Step } from "./step.ts";

/** What a step came to. */
export type StepEnd = { readonly type: "next" } | Extract<Return, { type: "ended" }> | Restart;

const NEXT: StepEnd = { type: "next" };

/**
 * A turn's calls, from their gates to the model reading their results. A terminal call ends the agent once the other
 * calls of the turn have settled.
 */
export function* settleStep(agent: AgentState, turn: Turn): Operation<StepEnd> {
  const gates = gateStep(agent, turn.calls);
  const step = new Step(agent, turn.calls, gates instanceof Later ? yield* gates.operation : gates);
  let inOrder = false;
  const known = turnOf(agent)?.step;
  if (known) {
    agent.todos.push(...known.todos);
    for (const { call } of judgedIn(agent, step)) call.reviews = known.reviews;
    inOrder = known.judged;
  } else if (agent.pool.judges) {
    const judging = judgedIn(agent, step);
    const judged = yield* proposeStep(
      agent,
      turn,
      judging.map(({ call }) => call),
    );
    if (judged.type === "restarted") return judged;
    if (judged.type === "refused") for (const at of judging) step.block(at, judged.outcome);
    if (judged.type === "passed") {
      agent.todos.push(...judged.todos);
      for (const { call } of judging) call.reviews = judged.reviews;
      inOrder = true;
    }
  }
  step.record();
  if (!known && agent.pool.run.recorder) recordStep(agent, step, inOrder);
  reserveStep(agent, step);

  const repeated = step.needsPeople ? repeatedIn(step) : NOBODY;
  if (known) recallStep(agent, step);
  if (step.needsPeople) yield* askAbout(agent, step, repeated);
  if (step.isReady) yield* step.admit();
  for (const batch of batches(step.open(), repeated, inOrder)) yield* runBatch(agent, step, batch);
  for (const at of repeated) if (!step.isSettled(at)) yield* runRepeated(agent, step, at);

  // calls that did not come to execute gave their part of the limit back
  if (agent.limit === "max_calls" && agent.reserved < agent.options.maxToolCalls) agent.limit = undefined;
  const end =
    step.terminal && !step.isSettled(step.terminal) && (yield* settleReturn(agent, step, step.terminal));
  if (end && end.type === "restarted") return end;
  if (step.isReady) yield* step.admit();
  const todos = agent.todos.length > 0 ? [words.todo(agent.todos.splice(0))] : NOTHING;
  if (step.hasMore(todos)) yield* step.say(todos);
  return end ? end : NEXT;
}

/** The calls that would run; the one that ends the agent is among them only where its tool is consequential. */
function judgedIn({ pool }: AgentState, step: Step): readonly Passed[] {
  const { terminal } = step;
  return terminal && isConsequentialIn(pool.reviews, terminal.call.bound)
    ? [...step.open(), terminal]
    : step.open();
}

const NOBODY: readonly Passed[] = [];
const NOTHING: readonly string[] = [];

/** Calls that a person would be asked about and that ask the same as an earlier one, which comes first. */
const repeatedIn = (step: Step): readonly Passed[] =>
  step.open().filter((at) => at.approval !== undefined && step.repeats(at));

/** No call of a step runs until all approvals that can be asked are decided. */
function* askAbout(agent: AgentState, step: Step, repeated: readonly Passed[]): Operation<void> {
  const asked = step.open().filter((at) => at.approval !== undefined && !repeated.includes(at));
  const refusals = yield* askPeople(asked.map(({ call, approval }) => ({ call, approval: approval! })));
  for (const [index, refusal] of refusals.entries()) if (refusal) forgo(agent, step, asked[index]!, refusal);
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

/**
 * The terminal call ends the agent if it may. Who was spoken to meanwhile hears it first, and returns again.
 * Undefined: it goes on.
 */
function* settleReturn(
  agent: AgentState,
  step: Step,
  terminal: Passed,
): Operation<Exclude<StepEnd, { type: "next" }> | undefined> {
  const { call, approval } = terminal;
  const since = agent.pool.run.clock.now();
  agent.isUnsure ||= call.past?.executed?.unknown ?? false;
  if (call.past?.outcome) return recallReturned(agent, step, terminal, call.past.outcome);
  const refusal = approval === undefined ? undefined : yield* askPerson({ call, approval });
  const isBegun = call.past?.dispatched !== undefined;
  const returned = refusal || (isSpokenTo(agent) && !isBegun) ? undefined : yield* proposeReturn(agent, call);
  if (returned?.type === "restarted" && step.isAlone) return returned;
  const rejection = refusal ?? (returned && rejectionIn(returned));
  const held: Outcome | undefined =
    rejection ??
    (isSpokenTo(agent) ? { type: "withdrawn", message: spokenTo(call, returned !== undefined) } : undefined);
  step.settle(terminal, settleCall(call, held ?? { type: "ok", value: words.accepted }, since));
  return returned?.type === "ended" && !held ? returned : undefined;
}

/** One that reports may do so again; what had an effect is not to have it twice unasked. */
const spokenTo = ({ bound: { name, tool } }: Call, hasRun: boolean): string =>
  hasRun && !tool.idempotent ? words.ranAndSpokenTo(name) : words.spokenTo(name);

/** What the model reads in its report's place. Where calls beside it have run, its turn cannot be taken back. */
function rejectionIn(returned: Return): Outcome | undefined {
  if (returned.type === "rejected") return returned.outcome;
  if (returned.type !== "restarted") return undefined;
  return { type: "refused", guard: returned.by, message: words.reconsider(returned.reasoning) };
}

/** What became of a terminal call is on record, and with it whether its agent ended. */
function recallReturned(
  agent: AgentState,
  step: Step,
  terminal: Passed,
  outcome: Outcome,
): Extract<Return, { type: "ended" }> | undefined {
  const known = turnOf(agent)?.returned;
  const returned = known && recallReturn(agent, known);
  step.settle(terminal, settleCall(terminal.call, outcome, 0));
  return outcome.type === "ok" && returned?.type === "ended" ? returned : undefined;
}
