import type { PoolEvent } from "@agentpool/core";
import { type Attributes, type Context, type Span, trace } from "@opentelemetry/api";
import { fail } from "./fail.ts";
import { modelAttributes, usageAttributes } from "./model-attributes.ts";
import type { StartSpan } from "./start-span.ts";

type Of<T extends PoolEvent["type"]> = Extract<PoolEvent, { type: T }>;
type Given = Of<"review:passed" | "review:restarted" | "review:failed">;
type Matched = Of<"review:matched">;

/**
 * Reviews as spans below the turn that they are about: `review step`, `review report` with the verdict, `review rules`
 * for a pass that finds which rules apply. Each has the reviewer's own `chat` below it, unless a verdict of before
 * stood and nobody was asked.
 */
export class ReviewSpans {
  readonly #start: StartSpan;
  readonly #root: Context;
  /** The one that an agent waits for: it has one at a time. */
  readonly #open = new Map<string, Span>();

  constructor(start: StartSpan, root: Context) {
    this.#start = start;
    this.#root = root;
  }

  begin(
    { agent, at, subject, turn, attempt, asked, calls, effort }: Of<"review:started">,
    turnOf: Context,
  ): void {
    this.#open.get(agent)?.end(at);
    const attributes: Attributes = {
      "agentpool.turn": turn,
      "agentpool.attempt": attempt,
      "agentpool.review.subject": subject,
      "agentpool.review.asked": [...new Set(asked.map(({ by }) => by))],
      "agentpool.review.effort": effort,
      "agentpool.review.calls": calls.map(({ id }) => id),
    };
    this.#open.set(agent, this.#start(`review ${subject}`, at, turnOf, attributes));
  }

  end(event: Given): void {
    const span = this.#open.get(event.agent);
    if (!span) return;
    this.#open.delete(event.agent);
    span.setAttribute("agentpool.review.verdict", event.type.slice("review:".length));
    span.setAttribute("agentpool.review.remembered", event.remembered);
    if (event.type === "review:failed") fail(span, event.problem);
    if (!event.remembered) this.#chat(span, event);
    span.end(event.at);
  }

  /** A pass over rules is told when it is over. */
  matched(event: Matched, turnOf: Context): void {
    const { at, ms, turn, checked, matched, failure } = event;
    const span = this.#start("review rules", at - ms, turnOf, {
      "agentpool.turn": turn,
      "agentpool.review.subject": "rules",
      "agentpool.review.verdict": failure ? "failed" : "matched",
      "agentpool.rules.checked": [...checked],
      "agentpool.rules.matched": [...matched],
    });
    if (failure) fail(span, failure.problem);
    this.#chat(span, event);
    span.end(at);
  }

  #chat(below: Span, { at, ms, model, usage, cost }: Given | Matched): void {
    const attributes = modelAttributes(model);
    const name = `chat ${attributes["gen_ai.request.model"]}`;
    const span = this.#start(name, at - ms, trace.setSpan(this.#root, below), {
      "gen_ai.operation.name": "chat",
      ...attributes,
      ...usageAttributes(usage, cost),
    });
    span.end(at);
  }

  endAgent(agent: string, at: number): void {
    this.#open.get(agent)?.end(at);
    this.#open.delete(agent);
  }

  endAll(at: number): void {
    for (const agent of [...this.#open.keys()]) this.endAgent(agent, at);
  }
}
