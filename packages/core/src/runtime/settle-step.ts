import { type Operation, spawn, type Task } from "effection";
import { words } from "../decisions/words.ts";
import type { Outcome } from "../values/call.ts";
import type { Turn } from "../values/model.ts";
import { admitCall } from "./admit-call.ts";
import type { AgentState } from "./agent-state.ts";
import type { Ending } from "./ending.ts";
import type { Gated } from "./gate.ts";
import { gateStep } from "./gate-step.ts";
import { proposeReturn } from "./propose-return.ts";
import { runCall, takePlace } from "./run-call.ts";
import { recordBlocked } from "./settle-call.ts";

type Passed = Extract<Gated, { type: "passed" }>;

/**
 * A turn's calls, from their gates to the model reading their results. Returns how the agent ends, where a terminal
 * call of the turn ends it: the other calls settle first.
 */
export function* settleStep(agent: AgentState, turn: Turn): Operation<Ending | undefined> {
  const step = yield* gateStep(agent, turn.calls);
  const outcomes = step.map((at) => (at.type === "blocked" ? at.outcome : undefined));
  const reader = new PrefixReader(agent, turn, step, outcomes);
  for (const at of step)
    if (at.type === "blocked") recordBlocked(agent, { id: at.id, tool: at.proposed.tool }, at.outcome);

  const isTerminal = (at: Gated): at is Passed =>
    at.type === "passed" && at.call.bound === agent.pool.terminal;
  yield* reader.read();
  for (const batch of batches(step.filter((at): at is Passed => at.type === "passed" && !isTerminal(at)))) {
    for (const { call } of batch) takePlace(call);
    const running = yield* start(batch);
    for (let index = 0; index < batch.length; index++) {
      outcomes[step.indexOf(batch[index]!)] = yield* running[index]!;
      yield* reader.read();
    }
  }

  const terminal = step.find(isTerminal);
  const returned = terminal && (yield* proposeReturn(agent, terminal.call));
  if (returned) {
    if (returned.type === "rejected") recordBlocked(agent, terminal.call, returned.outcome);
    outcomes[step.indexOf(terminal)] =
      returned.type === "rejected" ? returned.outcome : { type: "ok", value: words.accepted };
    yield* reader.read();
  }
  yield* reader.close();
  return returned?.type === "ended" ? returned.ending : undefined;
}

/** Calls that may run side by side; a barrier is alone. */
function batches(calls: readonly Passed[]): Passed[][] {
  const found: Passed[][] = [];
  let shared = false;
  for (const at of calls) {
    const barrier = at.call.bound.tool.parallel === false;
    if (shared && !barrier) found.at(-1)!.push(at);
    else found.push([at]);
    shared = !barrier;
  }
  return found;
}

/** One call runs in its agent's own task; several get one each. */
function* start(batch: readonly Passed[]): Operation<readonly Operation<Outcome>[]> {
  const [only] = batch;
  if (only && batch.length === 1) return [runCall(only.call, only.lookers)];
  const tasks: Task<Outcome>[] = [];
  for (const { call, lookers } of batch) tasks.push(yield* spawn(() => runCall(call, lookers)));
  return tasks;
}

/** Lets the results of a step into the context in emitted order: each once those before it are in. */
class PrefixReader {
  readonly #agent: AgentState;
  readonly #turn: Turn;
  readonly #step: readonly Gated[];
  readonly #outcomes: readonly (Outcome | undefined)[];
  readonly #followUps: string[] = [];
  #next = 0;

  constructor(
    agent: AgentState,
    turn: Turn,
    step: readonly Gated[],
    outcomes: readonly (Outcome | undefined)[],
  ) {
    this.#agent = agent;
    this.#turn = turn;
    this.#step = step;
    this.#outcomes = outcomes;
  }

  /** Everything that is ready. */
  *read(): Operation<void> {
    for (let outcome = this.#outcomes[this.#next]; outcome; outcome = this.#outcomes[this.#next]) {
      const at = this.#step[this.#next]!;
      const { id: toolCallId, tool } = this.#turn.calls[this.#next]!;
      this.#next++;
      const call = at.type === "passed" && at.call.ticket ? at.call : undefined;
      const id = at.type === "passed" ? at.call.id : at.id;
      const followUp = yield* admitCall(this.#agent, { id, toolCallId, tool, call, outcome });
      if (followUp !== undefined) this.#followUps.push(followUp);
    }
  }

  /** What hooks want to say, after the results: nothing may stand between those. */
  *close(): Operation<void> {
    if (this.#followUps.length > 0)
      yield* this.#agent.session.append(
        this.#followUps.map((text) => ({ role: "user", content: [{ type: "text", text }] })),
      );
  }
}
