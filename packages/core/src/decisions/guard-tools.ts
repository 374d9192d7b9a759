import type { ToolLifecycleHooks } from "../values/hooks.ts";
import { identityOf, type Tool } from "../values/tool.ts";
import { toolsOf } from "./bind.ts";
import { nearest, selects } from "./names.ts";
import { checkedOverrides, isChecked } from "./overrides.ts";

/**
 * Names in guards' `tools` that no tool here has while another's is so near that it was probably meant: the guard would
 * be asked about nothing, and say nothing. A name that is nowhere near may be about a tool of another pool, which is
 * fine. What was said once is not said again of the same list.
 *
 * `around`: names of tools of the pools around.
 */
export function misspeltGuardTools(
  hooks: readonly ToolLifecycleHooks[],
  tools: readonly Tool[],
  around: ReadonlySet<string> = new Set(),
): string[] {
  const all = tools.map((tool) => ({ name: tool.name, identity: identityOf(tool) }));
  const names = [...all.flatMap(({ name, identity }) => [name, identity]), ...around];
  const notices: string[] = [];
  for (const guard of new Set(hooks.flatMap((hook) => hook.beforeDispatch ?? []))) {
    const patterns = toolsOf(guard);
    if (!patterns || isChecked(patterns)) continue;
    const unknown = patterns.filter(
      (pattern) =>
        !pattern.includes("*") && !around.has(pattern) && !all.some((tool) => selects(pattern, tool)),
    );
    const near = unknown.map((pattern) => ({ pattern, meant: nearest(pattern, names) }));
    for (const { pattern, meant } of near)
      if (meant !== undefined)
        notices.push(
          `guard ${guard.name} has ${pattern} in its tools, which no tool here is called; did you mean ${meant}?`,
        );
    if (near.every(({ meant }) => meant !== undefined)) checkedOverrides(patterns);
  }
  return notices;
}
