import { ConfigurationError } from "../values/errors.ts";
import type { GuardOverrides, Scope } from "../values/guard.ts";
import { unknownName } from "./names.ts";

/** Names of refusals that are the framework's own; no guard may take one. */
export const RESERVED = [
  "auth_reject",
  "deny",
  "approval",
  "in_flight",
  "limit",
  "hook_error",
  "invalid",
] as const;
export type Reserved = (typeof RESERVED)[number];

const isReserved = (name: string): name is Reserved => (RESERVED as readonly string[]).includes(name);

/** How a pool's guards are set. Look a guard up by its name. */
export interface GuardSettings {
  of(name: string): GuardSetting;
  /** What was asked for and does nothing, said in words. */
  readonly notices: readonly string[];
}

export type GuardSetting = { readonly enabled: false } | { readonly enabled: true; readonly scope: Scope };

const DEFAULT: GuardSetting = { enabled: true, scope: "lineage" };
const OFF: GuardSetting = { enabled: false };

const checked = new WeakSet<object>();

/**
 * Marks overrides, denies or grants as checked against everything a harness knows: a pool takes them even where they
 * name what it does not have.
 */
export function checkedOverrides<T extends object>(value: T): T {
  checked.add(value);
  return value;
}

export const isChecked = (value: object): boolean => checked.has(value);

/**
 * Reads overrides by own keys only, so that a guard called `constructor` is like any other.
 * Nested pools may widen an outer guard, never switch it off.
 */
export function guardSettings(
  overrides: GuardOverrides = {},
  known: readonly string[] = [],
  outer?: { readonly settings: GuardSettings; readonly guards: readonly string[] },
): GuardSettings {
  const own = new Map<string, GuardSetting>();
  const notices: string[] = [];
  for (const [name, value] of Object.entries(overrides)) {
    const setting = readOverride(name, value);
    if (isReserved(name)) {
      notices.push(`guards.${name} does nothing: that check is the framework's own and cannot be changed.`);
      continue;
    }
    if (!known.includes(name)) {
      if (isChecked(overrides)) continue;
      throw new ConfigurationError(`guards.${name}: ${unknownName("guard", name, known)}`);
    }
    if (!setting.enabled && outer?.guards.includes(name) && outer.settings.of(name).enabled)
      throw new ConfigurationError(
        `guards.${name}: a nested pool may not switch off a guard of the pool around it; it may widen it with { scope: "cohort" }.`,
      );
    own.set(name, setting);
  }
  const of = (name: string): GuardSetting => {
    const inherited = outer?.settings.of(name) ?? DEFAULT;
    const setting = own.get(name);
    if (!setting) return inherited;
    return inherited.enabled && setting.enabled && inherited.scope === "cohort" ? inherited : setting;
  };
  return { of, notices };
}

function readOverride(name: string, value: unknown): GuardSetting {
  if (value === false) return OFF;
  if (typeof value === "object" && value !== null) {
    const { scope = "lineage", ...rest } = value as { scope?: unknown };
    const extra = Object.keys(rest)[0];
    if (extra !== undefined)
      throw new ConfigurationError(`guards.${name}.${extra}: not a setting of a guard; accepted is scope.`);
    if (scope === "lineage" || scope === "cohort") return { enabled: true, scope };
    throw new ConfigurationError(
      `guards.${name}.scope: found ${JSON.stringify(scope)}; accepted are "lineage" and "cohort".`,
    );
  }
  throw new ConfigurationError(
    `guards.${name}: found ${JSON.stringify(value)}; accepted are false and { scope: "lineage" | "cohort" }.`,
  );
}
