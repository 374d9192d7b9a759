import type { ApprovalDesk } from "../effects/approval-desk.ts";
import type { PartialBudget } from "./budget.ts";
import type { Clock } from "./clock.ts";
import type { PoolEvent } from "./event.ts";
import type { GuardFunction, GuardOverrides } from "./guard.ts";
import type { ToolLifecycleHooks } from "./hooks.ts";
import type { Journal } from "./journal.ts";
import type { Model } from "./model.ts";
import type { Orchestrator } from "./orchestrator.ts";
import type { Redactor } from "./redactor.ts";
import type { RepetitionLimits } from "./repetition.ts";
import type { Reviewer, ReviewOptions } from "./reviewer.ts";
import type { Effort, ReviewScope, Rule } from "./rule.ts";
import type { Tool, ToolContext } from "./tool.ts";

/** What a pool is made of. */
export interface AgentPoolOptions {
  /** Default, in a nested pool: the caller's. */
  readonly model?: Model;
  /** Instructions every agent starts with. Default, in a nested pool: the caller's conversation. */
  readonly system?: string;
  /** Default, in a nested pool: the caller's. */
  readonly tools?: readonly Tool[];
  /** The call that ends an agent. Without it an agent ends by answering in text. */
  readonly terminal?: Tool;
  readonly orchestrate: Orchestrator;
  /** The harness's opinions, in order. */
  readonly hooks?: readonly ToolLifecycleHooks[];
  /** Widens guards, or switches them off, by name. */
  readonly guards?: GuardOverrides;
  readonly budget?: PartialBudget;
  /** Names, prefixes (`mcp:files/*`) or identities of tools that may never run. No hook can lift it. */
  readonly deny?: readonly string[];
  /** Names, prefixes or identities of tools whose every call a person has to approve. No hook can lift it. */
  readonly requireApproval?: readonly string[];
  /** Where its calls wait for people. Default: one for the run, as `approvals` on the pool's handle. */
  readonly approvals?: ApprovalDesk;
  /** One more guard on every call, asked first among the harness's: a decision by any means. */
  readonly policy?: GuardFunction;
  /** What the model may not see: it reads placeholders, everybody else the real values. */
  readonly redact?: Redactor;
  /** When an agent is going round in circles; `false`: never. Default: after 3 turns a word, after 5 the end. */
  readonly repetition?: false | Partial<RepetitionLimits>;
  /** What every agent of the pool keeps to, told with its task: also where the pool starts from a caller's conversation. */
  readonly instructions?: string;
  /**
   * What is reviewed: every step before its calls run (`true`), every report before it is returned (`"messages"`),
   * or both (`"all"`); and which tools are consequential beside those that say so themselves. Nothing here or in a
   * nested pool cancels a review that something else asks for. Default: what rules and tools ask for.
   */
  readonly review?: ReviewScope | ReviewOptions;
  /** What agents keep to, by turns: see {@link Rule}. Those of a pool around apply too. */
  readonly rules?: readonly Rule[];
  /**
   * How hard turns are tried at; at `min` no reviews run. Default `medium`. A nested pool can raise its caller's, not
   * lower it: nothing takes back a review.
   */
  readonly effort?: Effort;
  /** Who gives the reviews. Default, in a nested pool: the caller's. */
  readonly reviewer?: Reviewer;
  /** Names of the `protected` tools this run may call. */
  readonly grants?: readonly string[];
  /** Whether an agent stopped by a limit is asked for one report of what it has. Default `report`. */
  readonly recovery?: "report" | "none";
  /** First part of its agents' keys. Default `agent`. */
  readonly key?: string;
  /** The run's id, on every event. Default: random. */
  readonly run?: string;
  /**
   * The context of the tool this pool is opened in, for tools that are async functions. Operations need not say:
   * their pools nest in the call they run in.
   */
  readonly parent?: ToolContext;
  /**
   * Where the run is recorded, and taken up from. The top pools of one job may share one: each needs a `key` of its
   * own. Default: the {@link JournalContext}'s, if there is one. Nested pools are on their run's record.
   */
  readonly journal?: Journal;
  /** Sees every event of the run as it happens. What it throws is dropped. */
  readonly onEvent?: (event: PoolEvent) => void;
  /** Default: real time. */
  readonly clock?: Clock;
}
