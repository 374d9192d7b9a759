import type { Scope } from "effection";
import type { BoundTool } from "../decisions/bind.ts";
import type { Life } from "../decisions/life.ts";
import type { Ticket } from "../decisions/line.ts";
import type { GuardSettings } from "../decisions/overrides.ts";
import type { Permissions } from "../decisions/permissions.ts";
import type { Redaction } from "../decisions/redaction.ts";
import type { Reviews } from "../decisions/reviews.ts";
import type { Budget } from "../values/budget.ts";
import type { ToolLifecycleHooks } from "../values/hooks.ts";
import type { Mark, Message, Model, Prefix, Session } from "../values/model.ts";
import type { RecordedPool } from "../values/recorded.ts";
import type { RepetitionLimits } from "../values/repetition.ts";
import type { Effort } from "../values/rule.ts";
import type { AgentState } from "./agent-state.ts";
import type { Run } from "./run.ts";

/** A pool as the runtime keeps it. */
export interface Pool extends Permissions {
  readonly key: string;
  readonly run: Run;
  readonly model: Model;
  readonly prefix: Prefix;
  /** Whether its spine is a fork of the caller's conversation instead of one of its own. */
  readonly forksCaller: boolean;
  readonly tools: ReadonlyMap<string, BoundTool>;
  /** Names of its tools and of those of the pools around: what a hook may name. */
  readonly toolNames: ReadonlySet<string>;
  readonly terminal: BoundTool | undefined;
  readonly hooks: readonly ToolLifecycleHooks[];
  readonly settings: GuardSettings;
  /** Names of the guards in force here and around: none may be switched off by a pool nested in this one. */
  readonly guards: readonly string[];
  /** What models of this pool may not see, of each pool from the outermost in. */
  readonly redactions: readonly Redaction[];
  readonly effort: Effort;
  /** What is asked of those who review, and the hooks they review with. */
  readonly reviews: readonly Reviews[];
  readonly reviewers: readonly ToolLifecycleHooks[];
  /** What agents keep to, those of pools around first; and the part that the agents of this pool have to be told. */
  readonly instructions: readonly string[];
  readonly told: readonly string[];
  /** Who has something to say before a turn. */
  readonly instructs: readonly ToolLifecycleHooks[];
  /** Whether anybody judges steps, and who chooses the tools of a turn. */
  readonly judges: boolean;
  readonly routes: readonly ToolLifecycleHooks[];
  readonly repetition: RepetitionLimits | undefined;
  readonly budget: Budget;
  readonly recovery: "report" | "none";
  readonly life: Life;
  /** The agent whose call opened it, and the calls its agents run under, nearest last. */
  readonly caller: AgentState | undefined;
  readonly under: readonly Ticket[];
  /** Pools it is nested in through calls. */
  readonly depth: number;
  readonly agents: AgentState[];
  /** What its spine was extended with, for agents with a conversation of their own. */
  readonly extension: Message[];
  spine: Session | undefined;
  /** Where it runs, once it does: what lasts as long as it belongs there. */
  scope: Scope | undefined;
  /** What is on record about it. */
  readonly past: RecordedPool | undefined;
  /** The pool around it, and the call that opened it. */
  readonly within: string | undefined;
  readonly call: string | undefined;
  /** How its spine stood with each number of extensions; how many were made in this process. */
  readonly places: SpinePlace[];
  extended: number;
  /** Extensions on record that were not made again yet. */
  readonly recalled: { readonly user: string; readonly assistant: string }[];
  /** Whether its orchestrator came to its end. */
  isDone: boolean;
}

/** A spine as it stood at some time: where agents of a recorded run forked. */
export interface SpinePlace {
  readonly mark: Mark;
  readonly tokens: number;
}
