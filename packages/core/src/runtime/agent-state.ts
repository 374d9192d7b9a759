import { type Operation, type Scope, withResolvers } from "effection";
import type { ZodType } from "zod";
import type { BoundTool } from "../decisions/bind.ts";
import { createLife, type Life } from "../decisions/life.ts";
import type { Holder, Ticket } from "../decisions/line.ts";
import { Lineage } from "../decisions/lineage.ts";
import { Repetition } from "../decisions/repetition.ts";
import type { Agent, AgentResult, AgentState as Phase, Refusal } from "../values/agent.ts";
import type { ToolLifecycleHooks } from "../values/hooks.ts";
import type { Mark, Model, Prompt, Session } from "../values/model.ts";
import type { RecordedAgent } from "../values/recorded.ts";
import { noUsage, type Usage } from "../values/usage.ts";
import type { Nest } from "./call-execution.ts";
import type { Pool } from "./pool-state.ts";

/** What an agent is made of. */
export interface AgentOptions {
  readonly key: string;
  readonly task: string;
  readonly pool: Pool;
  /** Instructions for it alone. */
  readonly system: string | undefined;
  /** The pool's tools that it may use, by name. */
  readonly tools: ReadonlyMap<string, BoundTool>;
  /** Set where it has a conversation of its own with another model, instead of a fork. */
  readonly model: Model | undefined;
  /** The agent it forks from; undefined: the spine. */
  readonly from: AgentState | undefined;
  readonly maxTurns: number;
  readonly maxToolCalls: number;
  readonly output: ZodType | undefined;
}

/** How an agent stood before the step it is in. */
export interface OpenStep {
  readonly mark: Mark;
  readonly reads: number;
  readonly place: number;
}

/** An agent as the runtime keeps it. Others get its `view`. */
export class AgentState implements Holder {
  readonly options: AgentOptions;
  readonly life: Life;
  readonly under: readonly Ticket[];
  readonly tickets = new Set<Ticket>();
  readonly view: Agent;
  readonly #ended = withResolvers<AgentResult>();

  /** Its conversation and what it has read: both set when it forks. */
  session!: Session;
  lineage = Lineage.empty();
  /** Where pools opened by the calls that run in its own task nest. */
  readonly nest: Nest;
  /** Where what it starts belongs. */
  scope!: Scope;

  phase: Phase = "ready";
  turns = 0;
  toolCallCount = 0;
  attendedCount = 0;
  readonly refusals: Refusal[] = [];
  parks = 0;
  usage: Usage = noUsage;

  /** Calls of its budget that are spoken for, executed ones included; by tool where a limit asks for it. */
  reserved = 0;
  #reservedByTool: Map<string, number> | undefined;
  /** Calls of the open step that are under way, and how many of those are parked. */
  calling = 0;
  parked = 0;
  /** How many of those that are parked wait for a time. */
  timed = 0;
  /** The open step, as it stood before: where forks of a busy agent start. */
  step: OpenStep | undefined;
  /** What it started with: so many extensions of the spine, or its parent at a place. */
  origin: number | { readonly place: number; readonly reads: number } | undefined;
  /** How often its conversation was added to. */
  place = 0;
  /** How its conversation stood at places from which others forked, where that is on record. */
  readonly places = new Map<number, Mark>();
  /** What is on record about it; undefined: nothing. */
  readonly past: RecordedAgent | undefined;
  /** Called once all that is on record has happened again. */
  caughtUp: () => void = () => {};
  /** Whether it is over, and only its conversation is wanted again. */
  isRevived = false;
  /** Whether somebody ended it. */
  isCancelled = false;
  /** Whether it goes round in circles; undefined: nobody minds. */
  readonly repetition: Repetition | undefined;
  /** Whether it was told that its context fills up. */
  toldOfContext = false;
  /** Whether one of its returns was rejected, and whether one did not have the form its task asks for. */
  rejected = false;
  misformed = false;
  /** Whether a terminal call of its may have had its effect, and nobody knows. */
  isUnsure = false;
  /** The limit its last step ran into. */
  limit: "max_calls" | "context" | "repetition" | undefined;
  /** What its end is called where it is halted. */
  halted: "cancelled" | "deadline" = "cancelled";
  /** Set once it is over. */
  result: AgentResult | undefined;

  readonly model: Model;
  readonly toolNames: readonly string[];
  /** Names of the tools that the turn it is in sees. */
  visible: readonly string[];
  /** Messages of people that it has not been shown yet. */
  readonly inbox: string[] = [];
  /** What it was told to do before it ends, for its next turn. */
  readonly todos: string[] = [];
  /** Of its steps, and of its returns, how many each hook has sent back; and how often the turn it is in was. */
  readonly restarts = {
    onPropose: new Map<ToolLifecycleHooks, number>(),
    onReturn: new Map<ToolLifecycleHooks, number>(),
  };
  attempt = 0;

  constructor(options: AgentOptions, past?: RecordedAgent) {
    this.options = options;
    this.past = past;
    if (past) {
      this.inbox.push(...past.steers);
      this.parks = past.parks;
      this.usage = past.usage;
    }
    this.model = options.model ?? options.from?.model ?? options.pool.model;
    this.toolNames = [...options.tools.keys()];
    this.visible = this.toolNames;
    this.repetition = options.pool.repetition && new Repetition(options.pool.repetition);
    this.life = createLife(options.pool.life);
    this.nest = { pool: options.pool, execution: undefined };
    this.under = options.pool.under;
    this.view = new AgentView(this);
    states.set(this.view, this);
  }

  get key(): string {
    return this.options.key;
  }

  get pool(): Pool {
    return this.options.pool;
  }

  /** Whether its context is as full as it may be. */
  get isFull(): boolean {
    const window = this.model.contextWindow;
    return window !== undefined && this.session.tokens >= window * this.pool.budget.context.hard;
  }

  reserve(tool: string): void {
    this.reserved++;
    if (Object.hasOwn(this.pool.budget.maxCallsPerTool, tool)) {
      this.#reservedByTool ??= new Map();
      this.#reservedByTool.set(tool, this.reservedOf(tool) + 1);
    }
  }

  release(tool: string): void {
    this.reserved--;
    const reserved = this.#reservedByTool?.get(tool);
    if (reserved !== undefined) this.#reservedByTool!.set(tool, reserved - 1);
  }

  reservedOf(tool: string): number {
    return this.#reservedByTool?.get(tool) ?? 0;
  }

  /** Puts messages into its conversation. */
  append(messages: Prompt): Operation<void> {
    this.keepPlace();
    this.place++;
    return this.session.append(messages);
  }

  /** Its conversation goes back to a mark. */
  rewind(mark: Mark): Operation<void> {
    this.keepPlace();
    this.place++;
    return this.session.rewind(mark);
  }

  /** Keeps a place from which others forked, before its conversation goes on. */
  keepPlace(): void {
    if (this.past?.forkedAt.has(this.place)) this.places.set(this.place, this.session.mark());
  }

  /** A step begins: forks of it start from here until the step is over. */
  openStep(): OpenStep {
    this.step ??= { mark: this.session.mark(), reads: this.lineage.length, place: this.place };
    return this.step;
  }

  /** Its result, once it is over. */
  get ended(): Operation<AgentResult> {
    return this.#ended.operation;
  }

  end(result: AgentResult): void {
    this.result = result;
    this.#ended.resolve(result);
  }
}

const states = new WeakMap<Agent, AgentState>();

/** The runtime's state of an agent that was handed out; undefined for one that is not ours. */
export const stateOf = (agent: Agent): AgentState | undefined => states.get(agent);

/** The agent whose conversation it started from: of a spine that is a fork of a caller's, the caller. */
export const parentOf = ({ options: { from, pool } }: AgentState): AgentState | undefined =>
  from ?? (pool.forksCaller ? pool.caller : undefined);

/** What hooks, tools and orchestrators see: they can read an agent, not change it. */
class AgentView implements Agent {
  readonly #agent: AgentState;

  constructor(agent: AgentState) {
    this.#agent = agent;
  }
  get key(): string {
    return this.#agent.options.key;
  }
  get task(): string {
    return this.#agent.options.task;
  }
  get parent(): string | undefined {
    return parentOf(this.#agent)?.key;
  }
  get depth(): number {
    return this.#agent.options.pool.depth;
  }
  get state(): Phase {
    return this.#agent.phase;
  }
  get turns(): number {
    return this.#agent.turns;
  }
  get toolCallCount(): number {
    return this.#agent.toolCallCount;
  }
  get attendedCount(): number {
    return this.#agent.attendedCount;
  }
  get refusals(): readonly Refusal[] {
    return [...this.#agent.refusals];
  }
  get parks(): number {
    return this.#agent.parks;
  }
  get usage(): Usage {
    return this.#agent.usage;
  }
}
