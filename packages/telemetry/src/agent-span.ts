import type { PoolEvent } from "@agentpool/core";
import type { Attributes, Context, Span } from "@opentelemetry/api";
import { fail } from "./fail.ts";
import { usageAttributes } from "./model-attributes.ts";
import type { ReviewSpans } from "./review-spans.ts";
import type { StartSpan } from "./start-span.ts";

type Of<T extends PoolEvent["type"]> = Extract<PoolEvent, { type: T }>;

/** What an agent's spans are made with. */
export interface AgentPlace {
  readonly start: StartSpan;
  readonly below: (span: Span) => Context;
  /** What it works for: a call, or the run. */
  readonly parent: (at: number) => Span;
  readonly model: Attributes;
  readonly reviews: ReviewSpans;
}

/** One agent as a span, `invoke_agent`, with one for each of its turns, `chat`, below it. */
export class AgentSpan {
  readonly #spawned: Of<"agent:spawned">;
  readonly #place: AgentPlace;
  #span: Span | undefined;
  /** The turn that is being generated, and the one before. */
  #turn: Span | undefined;
  #last: Span | undefined;
  /** Which rules apply to a turn that has not begun. */
  #rules: Of<"review:matched">[] = [];

  constructor(spawned: Of<"agent:spawned">, place: AgentPlace) {
    this.#spawned = spawned;
    this.#place = place;
  }

  /** Its own span, which begins when it is first asked for. */
  at(time: number): Span {
    const { pool, depth, agent } = this.#spawned;
    const { start, below, parent, model } = this.#place;
    this.#span ??= start(`invoke_agent ${pool}`, time, below(parent(time)), {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.id": agent,
      "gen_ai.agent.name": pool,
      "agentpool.depth": depth,
      ...model,
    });
    return this.#span;
  }

  /** Below the turn that it is in, or was in last; below itself before its first. */
  turnContext(time: number): Context {
    return this.#place.below(this.#turn ?? this.#last ?? this.at(time));
  }

  /** The turn that these are about has not begun yet. */
  matched(rules: Of<"review:matched">): void {
    this.#rules.push(rules);
  }

  startTurn({ turn, at }: Of<"turn:started">): void {
    this.#turn?.end(at); // it was generated again
    const { start, below, model } = this.#place;
    this.#turn = start(`chat ${model["gen_ai.request.model"] ?? ""}`.trimEnd(), at, below(this.at(at)), {
      "gen_ai.operation.name": "chat",
      "agentpool.turn": turn,
      ...model,
    });
    this.#tellRules(at);
  }

  endTurn({ at, result, cost }: Of<"turn:completed">): void {
    this.#overTurn(at, {
      ...usageAttributes(result.usage, cost),
      "gen_ai.response.finish_reasons": [FINISHES[result.finish]],
    });
  }

  failTurn({ at, usage, cost }: Of<"turn:failed">): void {
    if (this.#turn) fail(this.#turn, "model_error");
    this.#overTurn(at, usage ? usageAttributes(usage, cost) : {});
  }

  #overTurn(at: number, attributes: Attributes): void {
    const span = this.#turn;
    if (!span) return;
    this.#turn = undefined;
    this.#last = span;
    span.setAttributes(attributes);
    span.end(at);
  }

  end({ at, result: { exit, reason } }: Of<"agent:ended">): void {
    const span = this.at(at);
    span.setAttribute("agentpool.exit", exit);
    if (FAILURES.has(exit)) fail(span, exit, reason);
    this.close(at);
  }

  /** Ends what is open, whatever became of it. */
  close(time: number): void {
    this.#tellRules(time);
    this.#turn?.end(time);
    this.#span?.end(time);
  }

  #tellRules(time: number): void {
    for (const rules of this.#rules.splice(0)) this.#place.reviews.matched(rules, this.turnContext(time));
  }
}

const FINISHES = { stop: "stop", calls: "tool_calls", length: "length", refusal: "content_filter" } as const;

/** Ends of an agent that are errors; limits are ends like others. */
const FAILURES = new Set(["model_error", "invalid_output", "cancelled"]);
