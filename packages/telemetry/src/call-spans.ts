import type { PoolEvent } from "@agentpool/core";
import type { Context, Span } from "@opentelemetry/api";
import { fail } from "./fail.ts";
import type { StartSpan } from "./start-span.ts";

type Dispatched = Extract<PoolEvent, { type: "call:dispatched" }>;

/** Calls that run as spans, `execute_tool`. One that runs again stays the same span. */
export class CallSpans {
  readonly #start: StartSpan;
  readonly #open = new Map<string, Span>();

  constructor(start: StartSpan) {
    this.#start = start;
  }

  /** Of a call that runs. */
  get(call: string | undefined): Span | undefined {
    return call === undefined ? undefined : this.#open.get(call);
  }

  begin({ call, tool, identity, attempt, at }: Dispatched, below: Context): void {
    const known = this.#open.get(call);
    if (known) {
      known.addEvent("call:dispatched", { "agentpool.attempt": attempt }, at);
      return;
    }
    const span = this.#start(`execute_tool ${tool}`, at, below, {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.call.id": call,
      "gen_ai.tool.type": "function",
      "agentpool.tool.identity": identity,
    });
    this.#open.set(call, span);
  }

  /** What went wrong may hold what a tool has read: that something did is enough. */
  end(call: string, at: number, isFailed: boolean): void {
    const span = this.#open.get(call);
    if (!span) return;
    this.#open.delete(call);
    if (isFailed) fail(span, "tool_error");
    span.end(at);
  }

  endAll(at: number): void {
    for (const span of this.#open.values()) span.end(at);
    this.#open.clear();
  }
}
