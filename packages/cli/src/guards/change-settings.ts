import { type GuardOverrides, nearest } from "@agentpool/core";
import { UsageError } from "../usage-error.ts";
import type { ReplaySettings } from "./replay-settings.ts";

/** Names that settings may be about. */
export interface KnownNames {
  readonly guards: readonly string[];
  /** Of the harness, and of the run on record. */
  readonly tools: readonly string[];
}

type Lists = "deny" | "requireApproval" | "grants";

const LIMITS = ["maxTurns", "maxToolCalls", "maxCallsPerTool", "maxTokens", "maxCost", "wallClock"];

const LISTS: Readonly<Record<string, Lists>> = {
  deny: "deny",
  requireApproval: "requireApproval",
  grants: "grants",
  grant: "grants",
};

/**
 * Settings with changes on top, as `--set` writes them: `url_dedup.scope=cohort`, `query_dedup=false`, `deny=shell`,
 * `requireApproval=send`, `grants=pay`, `maxTurns=5`, `maxToolCalls=20`, `maxCallsPerTool.search=3`, `maxTokens=50000`,
 * `maxCost=0.5`, `wallClock.soft=60000`. Keys may have the places that they have in harness.yml before them:
 * `defaults.budget.maxToolCalls=20`. Lists grow by what is set; an empty value empties them.
 */
export const changedSettings = (
  settings: ReplaySettings,
  changes: readonly string[],
  known: KnownNames,
): ReplaySettings => changes.reduce((before, change) => changed(before, change, known), settings);

function changed(settings: ReplaySettings, change: string, known: KnownNames): ReplaySettings {
  const [, written = "", value = ""] = /^([^=]+)=(.*)$/s.exec(change) ?? [];
  const key = written.trim().replace(/^(defaults\.)?(guards|budget)\.|^policy\./, "");
  const [name = "", part, ...more] = key.split(".");
  const list = Object.hasOwn(LISTS, name) && part === undefined ? LISTS[name] : undefined;
  if (list) return { ...settings, [list]: grown(settings[list], change, value, known) };
  if (key === "maxTurns" || key === "maxToolCalls" || key === "maxTokens")
    return { ...settings, [key]: limitIn(change, value, 1) };
  if (key === "maxCost") return { ...settings, maxCost: dollarsIn(change, value) };
  if (key === "wallClock.soft" || key === "wallClock.hard")
    return { ...settings, wallClock: timeIn(settings.wallClock, change, part as "soft" | "hard", value) };
  if (name === "maxCallsPerTool" && part !== undefined) {
    const tool = toolNamed([part, ...more].join("."), change, known);
    return {
      ...settings,
      maxCallsPerTool: { ...settings.maxCallsPerTool, [tool]: limitIn(change, value, 0) },
    };
  }
  if (key === "" || LIMITS.includes(name) || more.length > 0 || (part !== undefined && part !== "scope"))
    throw unread(change);
  return {
    ...settings,
    guards: withGuard(settings.guards, change, { name, scoped: part === "scope", value }, known),
  };
}

interface GuardChange {
  readonly name: string;
  readonly scoped: boolean;
  readonly value: string;
}

function withGuard(
  guards: GuardOverrides,
  change: string,
  { name, scoped, value }: GuardChange,
  known: KnownNames,
): GuardOverrides {
  if (!known.guards.includes(name)) {
    const near = nearest(name, [...known.guards, ...Object.keys(LISTS), ...LIMITS]);
    throw new UsageError(
      `--set ${change}: there is no guard ${name} here${near ? `; did you mean ${near}?` : "."} There are ${known.guards.join(", ")}.`,
    );
  }
  const { [name]: _, ...others } = guards;
  if (scoped && (value === "cohort" || value === "lineage")) return { ...guards, [name]: { scope: value } };
  if (!scoped && value === "false") return { ...guards, [name]: false };
  if (!scoped && value === "true") return others;
  throw unread(change);
}

function grown(list: readonly string[], change: string, value: string, known: KnownNames): readonly string[] {
  const names = value
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.length === 0) return [];
  return [...new Set([...list, ...names.map((name) => toolNamed(name, change, known))])];
}

/** A tool's name; a pattern or an identity, such as `mcp:files/*`, names any. */
function toolNamed(name: string, change: string, { tools }: KnownNames): string {
  if (/[*:]/.test(name) || tools.includes(name)) return name;
  const near = nearest(name, tools);
  throw new UsageError(
    `--set ${change}: there is no tool ${name} here${near ? `; did you mean ${near}?` : "."} There are ${tools.join(", ")}.`,
  );
}

function limitIn(change: string, value: string, least: number): number {
  if (!/^\d+$/.test(value.trim()) || Number(value) < least)
    throw new UsageError(`--set ${change}: accepted is a whole number, ${least} or more.`);
  return Number(value);
}

function dollarsIn(change: string, value: string): number {
  if (!/^\d+(\.\d+)?$/.test(value.trim()) || Number(value) <= 0)
    throw new UsageError(`--set ${change}: accepted are US dollars, above 0, such as 0.5.`);
  return Number(value);
}

function timeIn(
  before: ReplaySettings["wallClock"],
  change: string,
  part: "soft" | "hard",
  value: string,
): NonNullable<ReplaySettings["wallClock"]> {
  const wallClock = { ...before, [part]: limitIn(change, value, 1) };
  const { soft = 0, hard = Number.POSITIVE_INFINITY } = wallClock;
  if (soft > hard)
    throw new UsageError(`--set ${change}: accepted are milliseconds, soft up to hard, ${hard}.`);
  return wallClock;
}

const unread = (change: string): UsageError =>
  new UsageError(
    `--set ${change}: accepted are NAME.scope=cohort, NAME.scope=lineage, NAME=false and NAME=true of a guard, deny=TOOL, requireApproval=TOOL, grants=TOOL, maxTurns=N, maxToolCalls=N, maxCallsPerTool.TOOL=N, maxTokens=N, maxCost=DOLLARS, wallClock.soft=MS and wallClock.hard=MS, such as url_dedup.scope=cohort.`,
  );
