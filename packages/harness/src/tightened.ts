import { identityOf, type Tool, type ToolLifecycleHooks } from "@agentpool/core";

/** What a harness, or a job of it, says that can only tighten. */
export interface Tightening {
  readonly hooks?: readonly ToolLifecycleHooks[];
  readonly deny?: readonly string[];
  readonly requireApproval?: readonly string[];
}

/**
 * A job's own hooks, denies and approvals beside the harness's, which come first: a job cannot take them back. Names of
 * the harness that select none of the job's tools are left out, so that the job's own can be checked.
 */
export function tightened(harness: Tightening, own: Tightening, tools: readonly Tool[]): Tightening {
  const hooks = [...(harness.hooks ?? []), ...(own.hooks ?? [])];
  const isKnown = (name: string): boolean =>
    name.includes("*") || tools.some((tool) => tool.name === name || identityOf(tool) === name);
  const both = (key: "deny" | "requireApproval"): Tightening =>
    own[key] ? { [key]: [...(harness[key] ?? []).filter(isKnown), ...own[key]] } : {};
  return { hooks, ...both("deny"), ...both("requireApproval") };
}
