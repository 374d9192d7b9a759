import type { Operation } from "effection";
import type { ZodType } from "zod";
import type { Agent, AgentResult } from "./agent.ts";
import type { Budget } from "./budget.ts";
import type { Model } from "./model.ts";

/** Spawns a pool's agents and decides who waits for whom. The pool ends when it returns. */
export type Orchestrator = (pool: PoolContext) => Operation<void>;

export interface PoolContext {
  readonly spine: Spine;
  /**
   * Starts an agent that forks from the spine, or from `parent`, as it stands now. It belongs to the scope it was
   * spawned in. In branches that run side by side give each task a `key`.
   */
  spawn(task: Task): Operation<Agent>;
  waitFor(agent: Agent): Operation<AgentResult>;
  /** Adds a message pair to the shared prefix. Agents that fork later start with it; their reads it does not give. */
  extendSpine(user: string, assistant: string): Operation<void>;
  /** Whether an agent forked now could take that many more tokens. */
  canFit(tokens: number): boolean;
}

export interface Spine {
  /** Tokens of the shared prefix. */
  readonly tokens: number;
}

export type Task = string | TaskOptions;

export interface TaskOptions {
  readonly task: string;
  /** Its place in the orchestration, unique within the pool. Default: the spawn's index. */
  readonly key?: string;
  /** Instructions for this agent alone, beside the pool's. */
  readonly system?: string;
  /** Names of the pool's tools that it may use. Default: all. */
  readonly tools?: readonly string[];
  /** Runs on another model, with a conversation of its own instead of a fork. */
  readonly model?: Model;
  /** Its result must fit this schema; it then is the parsed value. */
  readonly output?: ZodType;
  readonly budget?: Partial<Pick<Budget, "maxTurns" | "maxToolCalls">>;
  /** Forks from this agent instead of the spine: from before its open step, if it is in one. */
  readonly parent?: Agent;
}
