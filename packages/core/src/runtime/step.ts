import type { Operation } from "effection";
import { canonicalJson } from "../decisions/canonical.ts";
import type { Outcome } from "../values/call.ts";
import type { Message, ProposedCall } from "../values/model.ts";
import { admitCall } from "./admit-call.ts";
import type { AgentState } from "./agent-state.ts";
import type { Call } from "./call-state.ts";
import type { Gated } from "./gate.ts";
import { recordBlocked } from "./settle-call.ts";

export type Passed = Extract<Gated, { type: "passed" }>;

/** The calls of one turn, and which of their results have entered the context: a prefix, in emitted order. */
export class Step {
  readonly #agent: AgentState;
  readonly #calls: readonly ProposedCall[];
  readonly #gated: readonly Gated[];
  readonly #outcomes: (Outcome | undefined)[];
  readonly #followUps: string[] = [];
  /** The call that ends the agent, if it may. */
  readonly terminal: Passed | undefined;
  #admitted = 0;

  constructor(agent: AgentState, calls: readonly ProposedCall[], gated: readonly Gated[]) {
    this.#agent = agent;
    this.#calls = calls;
    this.#gated = gated;
    this.#outcomes = gated.map((at) => (at.type === "blocked" ? at.outcome : undefined));
    this.terminal = gated.find(
      (at): at is Passed => at.type === "passed" && at.call.bound === agent.pool.terminal,
    );
  }

  /** Puts on record which calls the gates blocked. */
  record(): void {
    for (const at of this.#gated) if (at.type === "blocked") recordBlocked(this.#agent, at, at.outcome);
  }

  /** Its calls that may still run, in emitted order; the terminal one is not among them. */
  open(): readonly Passed[] {
    return this.#gated.filter(
      (at, index): at is Passed =>
        at.type === "passed" && at !== this.terminal && this.#outcomes[index] === undefined,
    );
  }

  /** Whether a call asks the same as an earlier one of the step that may still run. */
  repeats(at: Passed): boolean {
    for (const earlier of this.open()) {
      if (earlier === at) return false;
      if (earlier.call.identity === at.call.identity && equal(earlier.call, at.call, at.call.bound.guards))
        return true;
    }
    return false;
  }

  /** Whether a person has to be asked about one of its calls. */
  get needsPeople(): boolean {
    return this.#gated.some((at) => at.type === "passed" && at.approval !== undefined);
  }

  /** Whether a result can be let in. */
  get isReady(): boolean {
    return this.#outcomes[this.#admitted] !== undefined;
  }

  /** Whether it has one call alone. */
  get isAlone(): boolean {
    return this.#calls.length === 1;
  }

  isSettled(at: Passed): boolean {
    return this.#outcomes[this.#gated.indexOf(at)] !== undefined;
  }

  /** Whether there is anything to be said after the results. */
  hasMore(more: readonly string[]): boolean {
    return this.#followUps.length + more.length > 0;
  }

  settle(at: Passed, outcome: Outcome): void {
    this.#outcomes[this.#gated.indexOf(at)] = outcome;
  }

  /** A call comes to its end before it ran. */
  block(at: Passed, outcome: Outcome): void {
    recordBlocked(this.#agent, at.call, outcome);
    this.settle(at, outcome);
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

  /** What is to be said after the results: nothing may stand between those. */
  *say(more: readonly string[]): Operation<void> {
    const texts = [...this.#followUps, ...more];
    yield* this.#agent.append(
      texts.map((text): Message => ({ role: "user", content: [{ type: "text", text }] })),
    );
  }
}

/** Equal under a key of its guards; where guards look for themselves, with the same arguments. */
function equal(a: Call, b: Call, guards: Passed["call"]["bound"]["guards"]): boolean {
  return guards.some((guard) => {
    if (guard.type !== "keyed") return canonicalJson(a.args.args) === canonicalJson(b.args.args);
    const key = b.args.recordedUnder(guard.key);
    return key !== undefined && key === a.args.recordedUnder(guard.key);
  });
}
