import type { Fate } from "@agentpool/core";
import { callLabel } from "../call-label.ts";
import type { Palette } from "../palette.ts";
import { table } from "../table.ts";
import { counted, dollars, lasting, short } from "../words.ts";
import type { GuardChange, GuardComparison, Stop } from "./compare-guards.ts";
import type { ReplaySettings } from "./replay-settings.ts";
import { settingsYaml } from "./settings-yaml.ts";

export interface GuardReport {
  readonly run: string;
  readonly settings: ReplaySettings;
  /** Those that the run had. */
  readonly before: ReplaySettings;
  readonly comparison: GuardComparison;
  readonly notKnown: readonly string[];
}

/**
 * What other settings would have changed, call by call, what that comes to, and the yaml that asks for it. `width`:
 * columns of the screen; undefined: it is not one.
 */
export function guardReport(report: GuardReport, palette: Palette, width?: number): string {
  const { run, settings, before, comparison, notKnown } = report;
  const { changes, stops, calls } = comparison;
  const unknown = palette.dim(`Not known:\n${notKnown.map((what) => `- ${what}\n`).join("")}`);
  if (changes.length === 0 && stops.length === 0)
    return `With these settings nothing of run ${run} would have been different: ${counted(calls, "call")} looked at.\n${unknown}`;
  const rows = changes.map((change) => [
    `${change.agent}:${change.turn}`,
    callLabel(change.tool, (change.args ?? {}) as Record<string, unknown>, 56),
    `${changeLabel(change)}${change.uncertain ? " ?" : ""}`,
  ]);
  const sums = sumsOf(comparison);
  return [
    ...(rows.length > 0 ? [table([["turn", "call", "then → now"], ...rows], { width, column: 1 })] : []),
    ...stops.map((stop) => `${stopLine(stop)}\n`),
    `${palette.bold(`Of ${counted(calls, "call")}:`)} ${sums.length > 0 ? sums.join(", ") : "none is different"}.\n`,
    unknown,
    `\n${settingsYaml(settings, before)}`,
  ].join("");
}

function sumsOf(comparison: GuardComparison): readonly string[] {
  const { refused, allowed, asked, unasked, unmade, withdrawn } = comparison;
  const { turnsSaved, tokensSaved, costSaved, msSaved } = comparison;
  return [
    ...(refused > 0 ? [`${refused} more refused`] : []),
    ...(allowed > 0 ? [`${allowed} more allowed`] : []),
    ...(asked > 0 ? [`${asked} more would wait for a person`] : []),
    ...(unasked > 0 ? [`${unasked} would wait for nobody`] : []),
    ...(withdrawn > 0 ? [`${withdrawn} cut short`] : []),
    ...(unmade > 0 ? [`${unmade} never made`] : []),
    ...(turnsSaved > 0 ? [`${counted(turnsSaved, "turn")} left out`] : []),
    ...(tokensSaved > 0 ? [`about ${short(tokensSaved)} tokens saved`] : []),
    ...(costSaved > 0 ? [`${dollars(costSaved)} saved`] : []),
    ...(msSaved > 0 ? [`${lasting(msSaved)} of turns and calls saved`] : []),
  ];
}

/** Where an agent would have stopped, and what that leaves out. */
function stopLine({ agent, turn, by, reports, turns }: Stop): string {
  const left = turns > 0 ? `: ${counted(turns, "turn")} left out` : "";
  if (by === "start") return `${agent} would not have been started${left}`;
  if (reports) return `${agent} would have reported in place of turn ${turn} (${by})${left}`;
  return `${agent} would not have come to turn ${turn} (${by})${left}`;
}

const changeLabel = ({ change, then, now }: GuardChange): string =>
  change === "unasked"
    ? "ran after a person's approval → ran, and nobody is asked"
    : `${fateLabel(then)} → ${fateLabel(now)}`;

function fateLabel(fate: Fate): string {
  switch (fate.type) {
    case "ran":
      return "ran";
    case "other":
      return "nothing that settings decide";
    case "unmade":
      return fate.by === "start" ? "not made, its agent not started" : `not made, ${fate.by}`;
    case "withdrawn":
      return `withdrawn, ${fate.by}`;
    case "asked":
      return "asked, waits for a person";
    default:
      return `${fate.type} by ${fate.guard}`;
  }
}
