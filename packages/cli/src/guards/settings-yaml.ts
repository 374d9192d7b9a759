import type { GuardOverrides } from "@agentpool/core";
import { changedLimits, type ReplaySettings, sameList } from "./replay-settings.ts";

/** Settings as they stand in harness.yml: all guards, and of the rest what differs from what the run had. */
export function settingsYaml(after: ReplaySettings, before: ReplaySettings): string {
  const limits = Object.entries(after.maxCallsPerTool);
  const budget = [
    ...changedLimits(after, before).flatMap((name) =>
      after[name] === undefined ? [] : [`    ${name}: ${limitText(after[name])}`],
    ),
    ...(limits.some(([tool, most]) => before.maxCallsPerTool[tool] !== most)
      ? [`    maxCallsPerTool: { ${limits.map(([tool, most]) => `${keyOf(tool)}: ${most}`).join(", ")} }`]
      : []),
  ];
  const lists = (["deny", "requireApproval", "grants"] as const).flatMap((name) => {
    const [now, then] = [after[name], before[name]];
    return sameList(now, then) ? [] : [`  ${name}: [${now.map(keyOf).join(", ")}]`];
  });
  const guards = guardLines(after.guards);
  const alone = budget.length === 0 && lists.length === 0;
  return [
    ...(guards.length > 0 || budget.length > 0 || alone ? ["defaults:"] : []),
    ...(guards.length > 0 ? ["  guards:", ...guards] : alone ? ["  guards: {}"] : []),
    ...(budget.length > 0 ? ["  budget:", ...budget] : []),
    ...(lists.length > 0 ? ["policy:", ...lists] : []),
    "",
  ].join("\n");
}

function limitText(limit: NonNullable<ReplaySettings["maxTurns" | "wallClock"]>): string {
  if (typeof limit !== "object") return String(limit);
  const parts = Object.entries(limit).flatMap(([name, ms]) => (ms === undefined ? [] : [`${name}: ${ms}`]));
  return `{ ${parts.join(", ")} }`;
}

function guardLines(guards: GuardOverrides): string[] {
  const names = Object.keys(guards);
  const width = Math.max(0, ...names.map((name) => keyOf(name).length)) + 1;
  return names.map((name) => {
    const value = guards[name];
    return `    ${`${keyOf(name)}:`.padEnd(width)} ${value === false ? "false" : `{ scope: ${value?.scope ?? "lineage"} }`}`;
  });
}

const keyOf = (name: string): string => (/^[A-Za-z_][\w-]*$/.test(name) ? name : JSON.stringify(name));
