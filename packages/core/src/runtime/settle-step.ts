import { type Operation, spawn, type Task } from "effection";
import { words } from "../decisions/words.ts";
import { Later } from "../effects/later.ts";
import type { Outcome } from "../values/call.ts";
import type { ProposedCall, Turn } from "../values/model.ts";
import { admitCall } from "./admit-call.ts";
import type { AgentState } from "./agent-state.ts";
import type { Ending } from "./ending.ts";
import type { Gated } from "./gate.ts";
import { gateStep } from "./gate-step.ts";
import { proposeReturn } from "./propose-return.ts";
import { runCall, takePlace } from "./run-call.ts";
import { recordBlocked } from "./settle-call.ts";

/**
 * A turn's calls, from their gates to the model reading their results. Returns how the agent ends, where a terminal
 * call of the turn ends it: the other calls settle first.
 */
export function* settleStep(agent: AgentState, turn: Turn): Operation<Ending | undefined> {
  const gates = gateStep(agent, turn.calls);
  const step = new Step(agent, turn.calls, gates instanceof Later ? yield* gates.operation : gates);
  for (const batch of step.batches()) {
    for (const { call } of batch) takePlace(call);
    const [only] = batch;
    if (only && batch.length === 1) {
      step.settle(only, yield* runCall(only.call, only.lookers));
      yield* step.admit();
      continue;
    }
    const running: Task<Outcome>[] = [];
    for (const { call, lookers } of batch) running.push(yield* spawn(() => runCall(call, lookers)));
    for (let index = 0; index < batch.length; index++) {
      step.settle(batch[index]!, yield* running[index]!);
      yield* step.admit();
    }
  }
  const ending = step.terminal && (yield* settleReturn(agent, step, step.terminal));
  yield* step.admit();
  yield* step.followUp();
  return ending;
}

function* settleReturn(agent: AgentState, step: Step, terminal: Passed): Operation<Ending | undefined> {
  const returned = yield* proposeReturn(agent, terminal.call);
  if (returned.type === "rejected") {
    recordBlocked(agent, terminal.call, returned.outcome);
    step.settle(terminal, returned.outcome);
    return undefined;
  }
  step.settle(terminal, { type: "ok", value: words.accepted });
  return returned.ending;
}

type Passed = Extract<Gated, { type: "passed" }>;

/** The calls of one turn, and which of their results have entered the context: a prefix, in emitted order. */
class Step {
  readonly #agent: AgentState;
  readonly #calls: readonly ProposedCall[];
  readonly #gated: readonly Gated[];
  readonly #outcomes: (Outcome | undefined)[] = [];
  readonly #followUps: string[] = [];
  readonly terminal: Passed | undefined;
  #admitted = 0;

  constructor(agent: AgentState, calls: readonly ProposedCall[], gated: readonly Gated[]) {
    this.#agent = agent;
    this.#calls = calls;
    this.#gated = gated;
    for (const at of gated) {
      this.#outcomes.push(at.type === "blocked" ? at.outcome : undefined);
      if (at.type === "blocked") recordBlocked(agent, at, at.outcome);
      else if (at.call.bound === agent.pool.terminal) this.terminal = at;
    }
  }

  /** Its calls that may run, in the order they are to: those of a batch side by side, a barrier alone. */
  batches(): readonly Passed[][] {
    const found: Passed[][] = [];
    let shared = false;
    for (const at of this.#gated) {
      if (at.type === "blocked" || at === this.terminal) continue;
      const barrier = at.call.bound.tool.parallel === false;
      if (shared && !barrier) found.at(-1)!.push(at);
      else found.push([at]);
      shared = !barrier;
    }
    return found;
  }

  settle(at: Passed, outcome: Outcome): void {
    this.#outcomes[this.#gated.indexOf(at)] = outcome;
  }

  /** Lets in what is ready: each result once those before it are in. */
  *admit(): Operation<void> {
    for (let outcome = this.#outcomes[this.#admitted]; outcome; outcome = this.#outcomes[this.#admitted]) {
      const at = this.#gated[this.#admitted]!;
      const { id: toolCallId, tool } = this.#calls[this.#admitted]!;
      this.#admitted++;
      const call = at.type === "passed" && at !== this.terminal ? at.call : undefined;
      const id = at.type === "passed" ? at.call.id : at.id;
      const followUp = yield* admitCall(this.#agent, { id, toolCallId, tool, call, outcome });
      if (followUp !== undefined) this.#followUps.push(followUp);
    }
  }

  /** What hooks want to say, after the results: nothing may stand between those. */
  *followUp(): Operation<void> {
    if (this.#followUps.length === 0) return;
    yield* this.#agent.session.append(
      this.#followUps.map((text) => ({ role: "user", content: [{ type: "text", text }] })),
    );
  }
}
