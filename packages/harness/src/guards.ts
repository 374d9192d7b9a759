import { RESERVED, type ToolLifecycleHooks } from "@agentpool/core";
import { didYouMean } from "./did-you-mean.ts";
import type { Harness } from "./harness.ts";
import { HarnessError, keyName } from "./problem.ts";

/** The guards that the tools of `@agentpool/tools` declare. */
export const BUILT_IN_GUARDS: readonly string[] = ["query_dedup", "read_dedup", "url_dedup"];

/** Names of the guards that hooks declare. */
export const guardNames = (hooks: readonly ToolLifecycleHooks[]): string[] =>
  hooks.flatMap((hook) => (hook.beforeDispatch ?? []).map((guard) => guard.name));

/** Throws `HarnessError` where the configuration names a guard that nothing of the harness declares. */
export function assertGuards(harness: Harness, known: readonly string[]): void {
  const names = [...new Set(known)].sort();
  const problems = Object.keys(harness.config.defaults.guards).flatMap((name) => {
    if (names.includes(name) || isReserved(name)) return [];
    const path = ["defaults", "guards", name];
    const message = `is not a guard of this harness${didYouMean(name, names) || "."} Known are ${names.join(", ")}.`;
    return [{ origin: harness.originOf(path, "key"), key: keyName(path), message }];
  });
  if (problems.length > 0) throw new HarnessError(problems);
}

/** A check of the framework's own: setting one does nothing, and a pool says so. */
const isReserved = (name: string): boolean => (RESERVED as readonly string[]).includes(name);
