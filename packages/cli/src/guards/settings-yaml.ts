import type { GuardOverrides } from "@agentpool/core";
import type { ReplaySettings } from "./replay-settings.ts";

/** Settings as they stand in harness.yml: all guards, and of the rest what differs from what the run had. */
export function settingsYaml(after: ReplaySettings, before: ReplaySettings): string {
  const limits = Object.entries(after.maxCallsPerTool);
  const budget = [
    ...(after.maxToolCalls !== before.maxToolCalls && after.maxToolCalls !== undefined
      ? [`    maxToolCalls: ${after.maxToolCalls}`]
      : []),
    ...(limits.some(([tool, most]) => before.maxCallsPerTool[tool] !== most)
      ? [`    maxCallsPerTool: { ${limits.map(([tool, most]) => `${keyOf(tool)}: ${most}`).join(", ")} }`]
      : []),
  ];
  const lists = (["deny", "requireApproval", "grants"] as const).flatMap((name) => {
    const [now, then] = [after[name], before[name]];
    const same = now.length === then.length && now.every((tool) => then.includes(tool));
    return same ? [] : [`  ${name}: [${now.map(keyOf).join(", ")}]`];
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

function guardLines(guards: GuardOverrides): string[] {
  const names = Object.keys(guards);
  const width = Math.max(0, ...names.map((name) => keyOf(name).length)) + 1;
  return names.map((name) => {
    const value = guards[name];
    return `    ${`${keyOf(name)}:`.padEnd(width)} ${value === false ? "false" : `{ scope: ${value?.scope ?? "lineage"} }`}`;
  });
}

const keyOf = (name: string): string => (/^[A-Za-z_][\w-]*$/.test(name) ? name : JSON.stringify(name));
