import type { Tool, ToolLifecycleHooks } from "@agentpool/core";

/** Names of the guards that tools and hooks hold. */
export function guardsOf(tools: readonly Tool[], hooks: readonly ToolLifecycleHooks[]): string[] {
  const own = tools.flatMap((tool) => ([] as ToolLifecycleHooks[]).concat(tool.hooks ?? []));
  const names = [...own, ...hooks].flatMap((hook) => (hook.beforeDispatch ?? []).map(({ name }) => name));
  return [...new Set(names)].sort();
}
