import type { Usage } from "./usage.ts";

export type AgentState = "ready" | "generating" | "calling" | "parked" | "done";

/** An agent as hooks, tools and orchestrators see it. Reading it never changes it. */
export interface Agent {
  /** Its place in the orchestration, stable between runs: `research/2`; nested: `callId~attempt/index`. */
  readonly key: string;
  readonly task: string;
  /** Key of the agent it was forked from; undefined when forked from the spine. */
  readonly parent: string | undefined;
  /** Nesting: 0 for an agent of the run's top pool. */
  readonly depth: number;
  readonly state: AgentState;
  readonly turns: number;
  /** Calls that executed, once each, well or badly. */
  readonly toolCallCount: number;
  /** Successful results that were admitted to its context. */
  readonly attendedCount: number;
  readonly refusals: readonly Refusal[];
  readonly parks: number;
  readonly usage: Usage;
}

export interface Refusal {
  readonly tool: string;
  readonly guard: string;
  readonly message: string;
}

/** Why an agent ended. */
export type Exit =
  | "returned"
  | "text"
  | "max_turns"
  | "max_calls"
  | "context"
  | "budget"
  | "deadline"
  | "repetition"
  | "invalid_output"
  | "model_error"
  | "cancelled";

export interface AgentResult {
  readonly key: string;
  readonly task: string;
  readonly parent: string | undefined;
  /**
   * What it found: what the terminal tool's `execute` gave, the final text, or the value of its `output` schema;
   * of an agent that was stopped, what its forced report said. Undefined when it left nothing.
   */
  readonly result: unknown;
  /** The terminal call's arguments, where one ended the agent. */
  readonly report: Readonly<Record<string, unknown>> | undefined;
  readonly exit: Exit;
  /** What went wrong, in words, where the exit is a failure. */
  readonly reason: string | undefined;
  readonly turns: number;
  readonly toolCallCount: number;
  readonly attendedCount: number;
  readonly refusals: readonly Refusal[];
  readonly parks: number;
  readonly usage: Usage;
}

export interface PoolResult {
  /** In the order the agents were spawned; nested agents are in their own pool's result. */
  readonly agents: readonly AgentResult[];
  readonly totals: Totals;
}

/** Sums over the whole tree of pools. */
export interface Totals {
  readonly agents: number;
  readonly turns: number;
  readonly toolCalls: number;
  readonly attended: number;
  readonly refusals: number;
  readonly parks: number;
  readonly usage: Usage;
}
