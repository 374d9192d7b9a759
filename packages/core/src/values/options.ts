import type { Budget } from "./budget.ts";
import type { Clock } from "./clock.ts";
import type { PoolEvent } from "./event.ts";
import type { GuardOverrides } from "./guard.ts";
import type { ToolLifecycleHooks } from "./hooks.ts";
import type { Model } from "./model.ts";
import type { Orchestrator } from "./orchestrator.ts";
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
  readonly budget?: Partial<Budget>;
  /** Names, prefixes (`mcp:files/*`) or identities of tools that may never run. No hook can lift it. */
  readonly deny?: readonly string[];
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
  /** Sees every event of the run as it happens. What it throws is dropped. */
  readonly onEvent?: (event: PoolEvent) => void;
  /** Default: real time. */
  readonly clock?: Clock;
}
