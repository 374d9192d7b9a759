import type { AgentPoolOptions, Model, PoolResult, Tool, ToolLifecycleHooks } from "@agentpool/core";
import type { Brief, ResearchOptions } from "@agentpool/research";
import type { Operation } from "effection";

/** A harness of your own: what a program's module exports by default. */
export interface HarnessProgram {
  /** Tools that its pools have. Guards declared on them can be set by name in `harness.yml`. */
  readonly tools?: readonly Tool[];
  /** Opinions of the harness, in order. Their guards can be set by name in `harness.yml`. */
  readonly hooks?: readonly ToolLifecycleHooks[];
  /**
   * Answers a question: with a `Brief`, with text, or with any JSON value. What it throws fails the run.
   * A `config()` inside it gives the resolved `harness.yml`.
   */
  run(question: string, context: ProgramContext): Operation<unknown>;
}

/** What a program's `run` gets beside the question. */
export interface ProgramContext {
  /**
   * The tools that its pools have unless they are given others: the documents', the program's own, and those of MCP
   * servers, as `server__tool`. For a pool with some of them, or with more: `pool({ tools: [...tools, mine] })`.
   */
  readonly tools: readonly Tool[];
  /**
   * Runs a pool with everything the harness says: its model, tools, hooks, guards, budget, denies and grants. What
   * you give comes on top; your hooks, denies, approvals, reviews and rules add to the harness's, and its reviews are
   * tried at as hard as the harness says at least. Its tools are `tools` unless you give others. It winds down on ctrl-c, and its events are the run's.
   */
  pool(options: PoolOptions): Operation<PoolResult>;
  /**
   * The model that `models` of harness.yml has for a purpose, by any name: `summaries`, `review.tools`. Where no route
   * matches it is `model`.
   *
   * Throws `ConfigurationError` where it cannot be made: a key is missing, a name is not known.
   */
  modelFor(asked: string): Model;
  /**
   * Runs the built-in research job in the same way, on the run's question unless you give another. Its tools are
   * those of the harness: the documents of `tools.corpus`, the program's own, and those of MCP servers.
   */
  research(options?: JobOptions): Operation<Brief>;
}

/** The options of a pool that the harness does not give, and any of those it does. */
export type PoolOptions = Omit<AgentPoolOptions, "run" | "onEvent" | "model"> & {
  /** What its model is asked for: a name that `models` of harness.yml may have a route for. Default `*`. */
  readonly route?: string;
  /** A model of your own, whatever the routes say. */
  readonly model?: Model;
};

/** The options of the research job that the harness does not give, and any of those it does. */
export type JobOptions = Partial<Omit<ResearchOptions, "run" | "onEvent" | "winding">>;

/**
 * Types a harness of your own.
 *
 * ```ts
 * import { parallel, reportTool } from "@agentpool/core";
 * import { defineHarness } from "@agentpool/harness";
 *
 * export default defineHarness({
 *   tools: [search],
 *   *run(question, { pool }) {
 *     const { agents } = yield* pool({ system: ROLE, terminal: reportTool, orchestrate: parallel([question]) });
 *     return String(agents[0]?.result);
 *   },
 * });
 * ```
 */
export const defineHarness = (program: HarnessProgram): HarnessProgram => program;
