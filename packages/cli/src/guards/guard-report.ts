import type { Fate } from "@agentpool/core";
import { callLabel } from "../call-label.ts";
import type { Palette } from "../palette.ts";
import { table } from "../table.ts";
import { counted, lasting, short } from "../words.ts";
import type { GuardChange, GuardComparison } from "./compare-guards.ts";
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

/** What other settings would have changed, call by call, what that comes to, and the yaml that asks for it. */
export function guardReport(report: GuardReport, palette: Palette): string {
  const { run, settings, before, comparison, notKnown } = report;
  const { changes, calls, refused, allowed, asked, unasked, unmade, tokensSaved, msSaved } = comparison;
  const unknown = palette.dim(`Not known:\n${notKnown.map((what) => `- ${what}\n`).join("")}`);
  if (changes.length === 0)
    return `With these settings nothing of run ${run} would have been different: ${counted(calls, "call")} looked at.\n${unknown}`;
  const rows = changes.map((change) => [
    `${change.agent}:${change.turn}`,
    callLabel(change.tool, (change.args ?? {}) as Record<string, unknown>, 56),
    `${changeLabel(change)}${change.uncertain ? " ?" : ""}`,
  ]);
  const sums = [
    ...(refused > 0 ? [`${refused} more refused`] : []),
    ...(allowed > 0 ? [`${allowed} more allowed`] : []),
    ...(asked > 0 ? [`${asked} more would wait for a person`] : []),
    ...(unasked > 0 ? [`${unasked} would wait for nobody`] : []),
    ...(unmade > 0
      ? [`${unmade} never made, since their agents would not have been started or had no calls left`]
      : []),
    ...(tokensSaved > 0 ? [`about ${short(tokensSaved)} input tokens saved`] : []),
    ...(msSaved > 0 ? [`${lasting(msSaved)} of calls saved`] : []),
  ];
  return [
    table([["turn", "call", "then → now"], ...rows]),
    `${palette.bold(`Of ${counted(calls, "call")}:`)} ${sums.join(", ")}.\n`,
    unknown,
    `\n${settingsYaml(settings, before)}`,
  ].join("");
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
      return "not made";
    case "asked":
      return "asked, waits for a person";
    default:
      return `${fate.type} by ${fate.guard}`;
  }
}
