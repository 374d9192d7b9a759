import { Snapshot } from "../decisions/view.ts";
import type { Agent } from "../values/agent.ts";
import type { Args } from "../values/json.ts";
import type { ToolContext } from "../values/tool.ts";
import type { CallExecution } from "./call-execution.ts";

/** What one execution of a tool gets beside its arguments. */
export class ExecutionContext implements ToolContext {
  readonly #execution: CallExecution;
  #controller: AbortController | undefined;
  #over = false;

  constructor(execution: CallExecution) {
    this.#execution = execution;
  }
  get agent(): Agent {
    return this.#execution.call.agent.view;
  }
  get run(): string {
    return this.#execution.call.agent.pool.run.id;
  }
  get id(): string {
    return this.#execution.call.id;
  }
  get attempt(): number {
    return this.#execution.attempt;
  }
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#over) this.#controller.abort();
    return this.#controller.signal;
  }
  // getters, so that a tool may take its context apart
  get attended(): () => readonly Args[] {
    return () => this.#attended();
  }
  get progress(): (message: string) => void {
    return (message) => this.#progress(message);
  }
  #attended(): readonly Args[] {
    const { call } = this.#execution;
    const { agent, bound, ticket } = call;
    const { cohort, line } = agent.pool.run;
    const scope = bound.guards.some((guard) => guard.scope === "cohort") ? "cohort" : "lineage";
    const view = { lineage: agent.lineage, cohort, line, holder: agent, ticket };
    return new Snapshot(view, scope, call.identity).attended();
  }
  #progress(message: string): void {
    if (this.#over) return;
    const { agent, id, tool } = this.#execution.call;
    agent.pool.run.emit({
      type: "call:progress",
      agent: agent.key,
      call: id,
      tool,
      message: String(message),
    });
  }

  /** The execution that a context belongs to; undefined for one that is not ours. */
  static executionOf(context: ToolContext): CallExecution | undefined {
    return #execution in context ? context.#execution : undefined;
  }

  /** The execution is over: whatever it started is told to stop. */
  end(): void {
    this.#over = true;
    this.#execution.end();
    this.#controller?.abort();
  }
}
