import type { AgentView } from "@agentpool/journal";
import { counted } from "../words.ts";

/** An agent's generations, by what they count as. */
export interface TurnCount {
  /** As its pool counts them. */
  readonly turns: number;
  /** Generations that a reviewer or a hook sent back. */
  readonly sentBack: number;
  /** Reports that a limit asked for. */
  readonly reports: number;
}

export function turnsOf(agents: readonly Pick<AgentView, "turns">[]): TurnCount {
  const all = agents.flatMap(({ turns }) => turns);
  const back = all.filter(({ finish }) => finish === "restarted").length;
  const reports = all.filter(({ forced, finish }) => forced && finish !== "restarted").length;
  return { turns: all.length - back - reports, sentBack: back, reports };
}

/** `7 turns and 2 sent back`. */
export const turnsLabel = ({ turns, sentBack, reports }: TurnCount): string =>
  [
    counted(turns, "turn"),
    ...(sentBack > 0 ? [`${sentBack} sent back`] : []),
    ...(reports > 0 ? [counted(reports, "forced report")] : []),
  ].join(" + ");
