import type { PoolEvent } from "@agentpool/core";
import {
  type Attributes,
  type Context,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";

/**
 * A run's events as spans, by the semantic conventions for generative AI
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/): the run, `invoke_agent` for each agent, `chat` for each of its
 * turns, `execute_tool` for each call. What was said and found is in none of them.
 */
export class Spans {
  readonly #tracer: Tracer;
  readonly #root: Context;
  readonly #run: string;
  #top: Span | undefined;
  readonly #pools = new Map<string, { readonly model: string; readonly call: string | undefined }>();
  readonly #agents = new Map<string, OpenAgent>();
  readonly #calls = new Map<string, Span>();
  /** When something last happened: what is still open then ends there. */
  #last = 0;

  constructor(tracer: Tracer, root: Context, run: string) {
    this.#tracer = tracer;
    this.#root = root;
    this.#run = run;
  }

  /** Takes note of an event. What happened in an earlier process has its spans there. */
  observe(event: PoolEvent): void {
    this.#last = Math.max(this.#last, event.at);
    switch (event.type) {
      case "pool:opened":
        this.#pools.set(event.pool, { model: event.model, call: event.call });
        return;
      case "agent:spawned":
        this.#agents.set(event.agent, { spawned: event, span: undefined, turn: undefined });
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
      case "call:parked":
      case "call:resumed":
        this.#calls.get(event.call)?.addEvent(event.type, { "agentpool.reason": event.reason }, event.at);
        return;
      case "call:refused":
      case "call:cancelled":
        this.#agentSpan(event.agent, event.at).addEvent(
          event.type,
          {
            "gen_ai.tool.name": event.tool,
            "gen_ai.tool.call.id": event.call,
            "agentpool.guard": event.guard,
          },
          event.at,
        );
        return;
    }
  }

  /** Ends what is open: the run is over, or was stopped. */
  end(): void {
    for (const span of this.#calls.values()) span.end(this.#last);
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
    if (model === undefined) return {};
    const [provider, ...rest] = model.split("/");
    return rest.length === 0
      ? { "gen_ai.provider.name": model, "gen_ai.request.model": model }
      : { "gen_ai.provider.name": provider, "gen_ai.request.model": rest.join("/") };
  }

  #endAgent(key: string, at: number, exit: string, reason: string | undefined): void {
    const span = this.#agentSpan(key, at);
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
  }

  #endTurn({ agent: key, at, result, cost }: Extract<PoolEvent, { type: "turn:completed" }>): void {
    const agent = this.#agents.get(key);
    const span = agent?.turn;
    if (!agent || !span) return;
    agent.turn = undefined;
    span.setAttributes({
      "gen_ai.usage.input_tokens": result.usage.input,
      "gen_ai.usage.output_tokens": result.usage.output,
      "gen_ai.usage.cache_read.input_tokens": result.usage.cached,
      "gen_ai.response.finish_reasons": [FINISHES[result.finish]],
      ...(cost === undefined ? {} : { "agentpool.cost": cost }),
    });
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
    if (trouble !== undefined) fail(span, "tool_error", undefined);
    span.end(at);
  }
}

interface OpenAgent {
  readonly spawned: Extract<PoolEvent, { type: "agent:spawned" }>;
  span: Span | undefined;
  turn: Span | undefined;
}

type Dispatched = Extract<PoolEvent, { type: "call:dispatched" }>;

const FINISHES = { stop: "stop", calls: "tool_calls", length: "length", refusal: "content_filter" } as const;

/** Ends of an agent that are errors; limits are ends like others. */
const FAILURES = new Set(["model_error", "invalid_output", "cancelled"]);

function fail(span: Span, kind: string, message: string | undefined): void {
  span.setAttribute("error.type", kind);
  span.setStatus({ code: SpanStatusCode.ERROR, ...(message === undefined ? {} : { message }) });
}
