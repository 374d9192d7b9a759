import type { PoolEvent } from "@agentpool/core";
import { type Attributes, type Context, type Span, type Tracer, trace } from "@opentelemetry/api";
import { fail } from "./fail.ts";
import { modelAttributes, usageAttributes } from "./model-attributes.ts";
import { momentOf } from "./moment-of.ts";
import { ReviewSpans } from "./review-spans.ts";

/**
 * A run's events as spans, by the semantic conventions for generative AI
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/): the run, `invoke_agent` for each agent, `chat` for each of its
 * turns, `execute_tool` for each call, `review …` for what was judged about a turn. What was said and found is in none
 * of them.
 */
export class Spans {
  readonly #tracer: Tracer;
  readonly #root: Context;
  readonly #run: string;
  #top: Span | undefined;
  readonly #pools = new Map<string, { readonly model: string; readonly call: string | undefined }>();
  readonly #agents = new Map<string, OpenAgent>();
  readonly #calls = new Map<string, Span>();
  readonly #reviews: ReviewSpans;
  /** When something last happened: what is still open then ends there. */
  #last = 0;

  constructor(tracer: Tracer, root: Context, run: string) {
    this.#tracer = tracer;
    this.#root = root;
    this.#run = run;
    this.#reviews = new ReviewSpans((...span) => this.#start(...span), root);
  }

  /** Takes note of an event. What happened in an earlier process has its spans there. */
  observe(event: PoolEvent): void {
    this.#last = Math.max(this.#last, event.at);
    switch (event.type) {
      case "pool:opened":
        this.#pools.set(event.pool, { model: event.model, call: event.call });
        return;
      case "agent:spawned":
        this.#agents.set(event.agent, {
          spawned: event,
          span: undefined,
          turn: undefined,
          last: undefined,
          rules: [],
        });
        break;
    }
    if (event.past) return;
    switch (event.type) {
      case "agent:spawned":
        this.#agentSpan(event.agent, event.at);
        return;
      case "agent:ended":
        this.#endAgent(event.agent, event.at, event.result.exit, event.result.reason);
        return;
      case "turn:started":
        this.#startTurn(event.agent, event.turn, event.at);
        return;
      case "turn:completed":
        this.#endTurn(event);
        return;
      case "turn:failed":
        this.#failTurn(event);
        return;
      case "call:dispatched":
        this.#startCall(event);
        return;
      case "call:settled":
        this.#endCall(
          event.call,
          event.at,
          event.outcome.type === "error" ? event.outcome.message : undefined,
        );
        return;
      case "call:withdrawn":
        this.#endCall(event.call, event.at, event.message);
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
        // the turn that it is about has not begun yet
        this.#agents.get(event.agent)?.rules.push(event);
        return;
      default:
        this.#note(event);
    }
  }

  /** What took no time, or is not a span of its own, is an event of the call that it is about, else of its agent. */
  #note(event: PoolEvent): void {
    const moment = momentOf(event);
    if (!moment) return;
    const call = "call" in event && event.call !== undefined ? this.#calls.get(event.call) : undefined;
    const agent = "agent" in event && event.agent !== undefined ? event.agent : "";
    (call ?? this.#agentSpan(agent, event.at)).addEvent(event.type, moment, event.at);
  }

  /** Ends what is open: the run is over, or was stopped. */
  end(): void {
    for (const span of this.#calls.values()) span.end(this.#last);
    this.#reviews.endAll(this.#last);
    for (const key of this.#agents.keys()) this.#tellRules(key, this.#last);
    for (const { turn, span } of this.#agents.values()) {
      turn?.end(this.#last);
      span?.end(this.#last);
    }
    this.#calls.clear();
    this.#agents.clear();
    this.#top?.end(this.#last);
  }

  #runSpan(at: number): Span {
    this.#top ??= this.#start("run", at, this.#root, {});
    return this.#top;
  }

  #start(name: string, at: number, parent: Context, attributes: Attributes): Span {
    const own = { "gen_ai.conversation.id": this.#run, ...attributes };
    return this.#tracer.startSpan(name, { startTime: at, attributes: own }, parent);
  }

  #below(span: Span): Context {
    return trace.setSpan(this.#root, span);
  }

  #agentSpan(key: string, at: number): Span {
    const agent = this.#agents.get(key);
    if (!agent) return this.#runSpan(at);
    const { pool, depth } = agent.spawned;
    const call = this.#pools.get(pool)?.call;
    const parent = (call === undefined ? undefined : this.#calls.get(call)) ?? this.#runSpan(at);
    agent.span ??= this.#start(`invoke_agent ${pool}`, at, this.#below(parent), {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.id": key,
      "gen_ai.agent.name": pool,
      "agentpool.depth": depth,
      ...this.#modelOf(pool),
    });
    return agent.span;
  }

  #modelOf(pool: string): Attributes {
    const model = this.#pools.get(pool)?.model;
    return model === undefined ? {} : modelAttributes(model);
  }

  /** Below the turn that an agent is in, or was in last; below the agent before its first. */
  #turnContext(key: string, at: number): Context {
    const { turn, last } = this.#agents.get(key) ?? {};
    return this.#below(turn ?? last ?? this.#agentSpan(key, at));
  }

  #tellRules(key: string, at: number): void {
    const agent = this.#agents.get(key);
    for (const rules of agent?.rules.splice(0) ?? [])
      this.#reviews.matched(rules, this.#turnContext(key, at));
  }

  #endAgent(key: string, at: number, exit: string, reason: string | undefined): void {
    const span = this.#agentSpan(key, at);
    this.#tellRules(key, at);
    this.#reviews.endAgent(key, at);
    this.#agents.get(key)?.turn?.end(at);
    span.setAttribute("agentpool.exit", exit);
    if (FAILURES.has(exit)) fail(span, exit, reason);
    span.end(at);
    this.#agents.delete(key);
  }

  #startTurn(key: string, turn: number, at: number): void {
    const agent = this.#agents.get(key);
    if (!agent) return;
    agent.turn?.end(at); // it was generated again
    const model = this.#modelOf(agent.spawned.pool);
    const parent = this.#below(this.#agentSpan(key, at));
    agent.turn = this.#start(`chat ${model["gen_ai.request.model"] ?? ""}`.trimEnd(), at, parent, {
      "gen_ai.operation.name": "chat",
      "agentpool.turn": turn,
      ...model,
    });
    this.#tellRules(key, at);
  }

  #endTurn({ agent: key, at, result, cost }: Extract<PoolEvent, { type: "turn:completed" }>): void {
    const agent = this.#agents.get(key);
    const span = agent?.turn;
    if (!agent || !span) return;
    agent.turn = undefined;
    agent.last = span;
    span.setAttributes({
      ...usageAttributes(result.usage, cost),
      "gen_ai.response.finish_reasons": [FINISHES[result.finish]],
    });
    span.end(at);
  }

  #failTurn({ agent: key, at, usage, cost }: Extract<PoolEvent, { type: "turn:failed" }>): void {
    const agent = this.#agents.get(key);
    const span = agent?.turn;
    if (!agent || !span) return;
    agent.turn = undefined;
    agent.last = span;
    if (usage) span.setAttributes(usageAttributes(usage, cost));
    fail(span, "model_error");
    span.end(at);
  }

  #startCall({ agent, call, tool, identity, attempt, at }: Dispatched): void {
    const known = this.#calls.get(call);
    if (known) {
      known.addEvent("call:dispatched", { "agentpool.attempt": attempt }, at);
      return;
    }
    const parent = this.#below(this.#agentSpan(agent, at));
    const span = this.#start(`execute_tool ${tool}`, at, parent, {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.call.id": call,
      "gen_ai.tool.type": "function",
      "agentpool.tool.identity": identity,
    });
    this.#calls.set(call, span);
  }

  #endCall(call: string, at: number, trouble: string | undefined): void {
    const span = this.#calls.get(call);
    if (!span) return;
    this.#calls.delete(call);
    // the message may hold what a tool has read: its kind is enough
    if (trouble !== undefined) fail(span, "tool_error");
    span.end(at);
  }
}

interface OpenAgent {
  readonly spawned: Extract<PoolEvent, { type: "agent:spawned" }>;
  span: Span | undefined;
  /** The turn that is being generated, and the one before. */
  turn: Span | undefined;
  last: Span | undefined;
  /** Which rules apply to a turn that has not begun. */
  readonly rules: Extract<PoolEvent, { type: "review:matched" }>[];
}

type Dispatched = Extract<PoolEvent, { type: "call:dispatched" }>;

const FINISHES = { stop: "stop", calls: "tool_calls", length: "length", refusal: "content_filter" } as const;

/** Ends of an agent that are errors; limits are ends like others. */
const FAILURES = new Set(["model_error", "invalid_output", "cancelled"]);
