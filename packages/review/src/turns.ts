import type { Agent, Effort, ReviewDesk, ReviewsAsked, Rule, TurnAnswer, TurnInput } from "@agentpool/core";
import type { Operation } from "effection";
import { depthOf, effortOf } from "./effort.ts";
import { matchRules } from "./match-rules.ts";
import type { Options } from "./options.ts";
import { breachesIn } from "./recorded.ts";
import { toldIn, toldOf } from "./rules.ts";
import type { Verdict } from "./verdict.ts";

/** One turn of an agent, as reviews see it. */
export interface ReviewedTurn {
  readonly turn: number;
  /** The rules that apply to it, and how hard it is tried at with them. */
  readonly applying: readonly Rule[];
  readonly effort: Effort;
  /** What was sent back in it, by what was judged: the same again gets the same verdict. */
  readonly breaches: Map<string, Verdict>;
}

/** The turns that agents are in: which rules apply is found out once a turn, whoever asks. */
export class Turns {
  readonly #desk: ReviewDesk;
  readonly #options: Options;
  readonly #asked: ReviewsAsked;
  readonly #current = new WeakMap<Agent, ReviewedTurn>();

  constructor(desk: ReviewDesk, options: Options, asked: ReviewsAsked) {
    this.#desk = desk;
    this.#options = options;
    this.#asked = asked;
  }

  /** The content of rules enters the conversation when they come to apply, and is said to be over when they cease to. */
  *begin({ agent, turn }: TurnInput): Operation<TurnAnswer | undefined> {
    const told = toldIn(this.#desk.conversation(agent, "now"), this.#asked.rules);
    const { applying } = yield* this.of(agent, turn);
    const text = toldOf(told, applying);
    return text === undefined ? undefined : { type: "instruct", text };
  }

  *of(agent: Agent, turn: number): Operation<ReviewedTurn> {
    const known = this.#current.get(agent);
    if (known?.turn === turn) return known;
    const { rules, effort } = this.#asked;
    const breaches = breachesIn(this.#desk.recorded(agent, turn));
    const at = { effort, depth: depthOf(effort, []) };
    const applying =
      rules.length === 0 ? [] : yield* matchRules(this.#desk, this.#options, { agent, turn, rules, at });
    const current = { turn, applying, effort: effortOf(effort, applying), breaches };
    this.#current.set(agent, current);
    return current;
  }
}
