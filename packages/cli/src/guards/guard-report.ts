import type { Fate, GuardOverrides } from "@agentpool/core";
import { callLabel } from "../call-label.ts";
import type { Palette } from "../palette.ts";
import { table } from "../table.ts";
import { counted, lasting, short } from "../words.ts";
import type { GuardComparison } from "./compare-guards.ts";
import { guardsYaml } from "./guard-settings.ts";

export interface GuardReport {
  readonly run: string;
  readonly guards: GuardOverrides;
  readonly comparison: GuardComparison;
}

/** What other settings would have changed, call by call, what that comes to, and the yaml that asks for it. */
export function guardReport({ run, guards, comparison }: GuardReport, palette: Palette): string {
  const { changes, calls, refused, allowed, unmade, tokensSaved, msSaved, uncertain } = comparison;
  if (changes.length === 0)
    return `With these guards nothing of run ${run} would have been different: ${counted(calls, "call")} looked at.\n`;
  const rows = changes.map(({ agent, turn, tool, args, then, now, uncertain: unsure }) => [
    `${agent}:${turn}`,
    callLabel(tool, (args ?? {}) as Record<string, unknown>, 56),
    `${fateLabel(then)} → ${fateLabel(now)}${unsure ? " ?" : ""}`,
  ]);
  const sums = [
    ...(refused > 0 ? [`${refused} more refused`] : []),
    ...(allowed > 0 ? [`${allowed} more allowed`] : []),
    ...(unmade > 0 ? [`${unmade} never made, since their agents would not have been started`] : []),
    ...(tokensSaved > 0 ? [`about ${short(tokensSaved)} input tokens saved`] : []),
    ...(msSaved > 0 ? [`${lasting(msSaved)} of calls saved`] : []),
  ];
  return [
    table([["turn", "call", "then → now"], ...rows]),
    `${palette.bold(`Of ${counted(calls, "call")}:`)} ${sums.join(", ")}.\n`,
    ...(uncertain > 0
      ? [
          `? ${counted(uncertain, "call")} went otherwise than these guards say even under the run's own settings.\n`,
        ]
      : []),
    palette.dim(`${CAVEAT}\n`),
    `\n${guardsYaml(guards)}`,
  ].join("");
}

/** What no replay can know. */
export const CAVEAT =
  "What the model would have done next is not known: an agent that is refused asks for something else. A call that is\nallowed here is taken to succeed, at a cost nobody knows. At cohort scope an agent is refused what it has not read\nitself, only others have.";

function fateLabel(fate: Fate): string {
  switch (fate.type) {
    case "ran":
      return "ran";
    case "other":
      return "not made";
    default:
      return `${fate.type} by ${fate.guard}`;
  }
}
