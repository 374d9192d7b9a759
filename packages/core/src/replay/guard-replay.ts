import type { Budget } from "../values/budget.ts";
import type { GuardOverrides } from "../values/guard.ts";
import type { ToolLifecycleHooks } from "../values/hooks.ts";
import type { Tool } from "../values/tool.ts";

/** Limits that a replay knows the effect of. One that is absent is as it was in the run. */
export type ReplayedLimits = Partial<
  Pick<Budget, "maxTurns" | "maxToolCalls" | "maxCallsPerTool" | "maxTokens" | "maxCost" | "wallClock">
>;

/**
 * What a recorded run is looked at with: the tools and hooks that hold its guards, how these are set, and what the run
 * may do. A list or a limit that is given takes the place of the run's; of one that is absent, what it decided stands.
 */
export interface GuardReplay extends ReplayedLimits {
  readonly tools: readonly Tool[];
  readonly hooks?: readonly ToolLifecycleHooks[];
  readonly guards?: GuardOverrides;
  /** Names, identities and patterns of tools, as in a pool's options. */
  readonly deny?: readonly string[];
  readonly requireApproval?: readonly string[];
  /** Of `protected` tools. */
  readonly grants?: readonly string[];
  /** The lists that the run had. What it denied or asked about beyond them was its program's doing, and stands. */
  readonly had?: { readonly deny: readonly string[]; readonly requireApproval: readonly string[] };
  /** Keys of pools whose turns their program limits itself: `maxTurns` is not for them, nor for pools inside them. */
  readonly ownTurns?: readonly string[];
}
