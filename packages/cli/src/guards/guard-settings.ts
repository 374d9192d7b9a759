import { type GuardOverrides, nearest, type Tool, type ToolLifecycleHooks } from "@agentpool/core";
import { UsageError } from "../usage-error.ts";

/** Names of the guards that tools and hooks hold. */
export function guardsOf(tools: readonly Tool[], hooks: readonly ToolLifecycleHooks[]): string[] {
  const own = tools.flatMap((tool) => ([] as ToolLifecycleHooks[]).concat(tool.hooks ?? []));
  const names = [...own, ...hooks].flatMap((hook) => (hook.beforeDispatch ?? []).map(({ name }) => name));
  return [...new Set(names)].sort();
}

/** Guard settings with changes on top, as `--set` writes them: `url_dedup.scope=cohort`, `query_dedup=false`. */
export function changedGuards(
  guards: GuardOverrides,
  changes: readonly string[],
  known: readonly string[],
): GuardOverrides {
  const changed: Record<string, GuardOverrides[string]> = { ...guards };
  for (const change of changes) {
    const [, name = "", scope, value = ""] = /^([^.=]+)(\.scope)?=(.*)$/.exec(change) ?? [];
    if (name === "") throw unread(change);
    if (!known.includes(name)) {
      const near = nearest(name, known);
      throw new UsageError(
        `--set ${change}: there is no guard ${name} here${near ? `; did you mean ${near}?` : "."} There are ${known.join(", ")}.`,
      );
    }
    if (scope && (value === "cohort" || value === "lineage")) changed[name] = { scope: value };
    else if (!scope && value === "false") changed[name] = false;
    else if (!scope && value === "true") delete changed[name];
    else throw unread(change);
  }
  return changed;
}

const unread = (change: string): UsageError =>
  new UsageError(
    `--set ${change}: accepted are NAME.scope=cohort, NAME.scope=lineage, NAME=false and NAME=true, such as url_dedup.scope=cohort.`,
  );

/** The settings as they stand in harness.yml. */
export function guardsYaml(guards: GuardOverrides): string {
  const names = Object.keys(guards);
  if (names.length === 0) return "defaults:\n  guards: {}\n";
  const width = Math.max(...names.map((name) => name.length)) + 1;
  const lines = names.map((name) => {
    const value = guards[name];
    return `    ${`${name}:`.padEnd(width)} ${value === false ? "false" : `{ scope: ${value?.scope ?? "lineage"} }`}`;
  });
  return `defaults:\n  guards:\n${lines.join("\n")}\n`;
}
