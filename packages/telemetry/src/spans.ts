import type { PoolEvent } from "@agentpool/core";
import { type Attributes, type Context, type Span, type Tracer, trace } from "@opentelemetry/api";
import { AgentSpan } from "./agent-span.ts";
import { CallSpans } from "./call-spans.ts";
import { modelAttributes } from "./model-attributes.ts";
import { momentOf } from "./moment-of.ts";
import { ReviewSpans } from "./review-spans.ts";
import type { StartSpan } from "./start-span.ts";

/**
 * A run's events as spans, by the semantic conventions for generative AI
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/): the run, `invoke_agent` for each agent, `chat` for each of its
 * turns, `execute_tool` for each call, `review …` for what was judged about a turn. What was said and found is in none
 * of them.
 */
export class Spans {
  readonly #root: Context;
  readonly #start: StartSpan;
  #top: Span | undefined;
  readonly #pools = new Map<string, { readonly model: string; readonly call: string | undefined }>();
  readonly #agents = new Map<string, AgentSpan>();
  readonly #calls: CallSpans;
  readonly #reviews: ReviewSpans;
  /** When something last happened: what is still open then ends there. */
  #last = 0;

  constructor(tracer: Tracer, root: Context, run: string) {
    this.#root = root;
    this.#start = (name, at, parent, attributes) => {
      const own = { "gen_ai.conversation.id": run, ...attributes };
      return tracer.startSpan(name, { startTime: at, attributes: own }, parent);
    };
    this.#calls = new CallSpans(this.#start);
    this.#reviews = new ReviewSpans(this.#start, root);
  }

  /** Takes note of an event. What happened in an earlier process has its spans there. */
  observe(event: PoolEvent): void {
    this.#last = Math.max(this.#last, event.at);
    if (event.type === "pool:opened") this.#pools.set(event.pool, { model: event.model, call: event.call });
    else if (event.type === "agent:spawned") this.#agents.set(event.agent, this.#agentOf(event));
    if (!event.past) this.#tell(event);
  }

  #tell(event: PoolEvent): void {
    switch (event.type) {
      case "pool:opened":
        return;
      case "agent:spawned":
        this.#agents.get(event.agent)?.at(event.at);
        return;
      case "agent:ended":
        this.#reviews.endAgent(event.agent, event.at);
        this.#agents.get(event.agent)?.end(event);
        this.#agents.delete(event.agent);
        return;
      case "turn:started":
        this.#agents.get(event.agent)?.startTurn(event);
        return;
      case "turn:completed":
        this.#agents.get(event.agent)?.endTurn(event);
        return;
      case "turn:failed":
        this.#agents.get(event.agent)?.failTurn(event);
        return;
      case "call:dispatched":
        this.#calls.begin(event, this.#below(this.#spanOf(event.agent, event.at)));
        return;
      case "call:settled":
        this.#calls.end(event.call, event.at, event.outcome.type === "error");
        return;
      case "call:withdrawn":
        this.#calls.end(event.call, event.at, true);
        return;
      case "review:started":
        this.#reviews.begin(event, this.#turnContext(event.agent, event.at));
        return;
      case "review:passed":
      case "review:restarted":
      case "review:failed":
        this.#reviews.end(event);
        return;
      case "review:matched":
        this.#agents.get(event.agent)?.matched(event);
        return;
      default:
        this.#note(event);
    }
  }

  /** What took no time, or is not a span of its own, is an event of the call that it is about, else of its agent. */
  #note(event: PoolEvent): void {
    const moment = momentOf(event);
    if (!moment) return;
    const call = "call" in event ? this.#calls.get(event.call) : undefined;
    const agent = "agent" in event && event.agent !== undefined ? event.agent : "";
    (call ?? this.#spanOf(agent, event.at)).addEvent(event.type, moment, event.at);
  }

  /** Ends what is open: the run is over, or was stopped. */
  end(): void {
    this.#calls.endAll(this.#last);
    this.#reviews.endAll(this.#last);
    for (const agent of this.#agents.values()) agent.close(this.#last);
    this.#agents.clear();
    this.#top?.end(this.#last);
  }

  #runSpan(at: number): Span {
    this.#top ??= this.#start("run", at, this.#root, {});
    return this.#top;
  }

  #below(span: Span): Context {
    return trace.setSpan(this.#root, span);
  }

  /** An agent's span; the run's where there is no such agent. */
  #spanOf(agent: string, at: number): Span {
    return this.#agents.get(agent)?.at(at) ?? this.#runSpan(at);
  }

  #turnContext(agent: string, at: number): Context {
    return this.#agents.get(agent)?.turnContext(at) ?? this.#below(this.#runSpan(at));
  }

  #agentOf(spawned: Extract<PoolEvent, { type: "agent:spawned" }>): AgentSpan {
    const pool = this.#pools.get(spawned.pool);
    return new AgentSpan(spawned, {
      start: this.#start,
      below: (span) => this.#below(span),
      parent: (at) => this.#calls.get(pool?.call) ?? this.#runSpan(at),
      model: pool === undefined ? NO_MODEL : modelAttributes(pool.model),
      reviews: this.#reviews,
    });
  }
}

const NO_MODEL: Attributes = {};
