import type { ToolLifecycleHooks } from "@agentpool/core";
import type { Harness } from "./harness.ts";
import { didYouMean } from "./nearest.ts";
import { HarnessError, keyName } from "./problem.ts";

/** The guards that the tools of `@agentpool/tools` declare. */
export const BUILT_IN_GUARDS: readonly string[] = ["query_dedup", "read_dedup", "url_dedup"];

/** Names of the framework's own checks: setting one does nothing, and a pool says so. */
const FRAMEWORK: readonly string[] = [
  "auth_reject",
  "deny",
  "approval",
  "in_flight",
  "limit",
  "hook_error",
  "invalid",
];

/** Names of the guards that hooks declare. */
export const guardNames = (hooks: readonly ToolLifecycleHooks[]): string[] =>
  hooks.flatMap((hook) => (hook.beforeDispatch ?? []).map((guard) => guard.name));

/** Throws `HarnessError` where the configuration names a guard that nothing of the harness declares. */
export function assertGuards(harness: Harness, known: readonly string[]): void {
  const names = [...new Set(known)].sort();
  const problems = Object.keys(harness.config.defaults.guards).flatMap((name) => {
    if (names.includes(name) || FRAMEWORK.includes(name)) return [];
    const path = ["defaults", "guards", name];
    const message = `is not a guard of this harness${didYouMean(name, names) || "."} Known are ${names.join(", ")}.`;
    return [{ origin: harness.originOf(path, "key"), key: keyName(path), message }];
  });
  if (problems.length > 0) throw new HarnessError(problems);
}
