import type { AgentView, TurnView } from "@agentpool/journal";
import { counted } from "../words.ts";

/** Generations, by what they count as. */
export interface TurnCount {
  /** As pools count them. */
  readonly turns: number;
  /** Those that a reviewer or a hook sent back. */
  readonly sentBack: number;
  /** Reports that a limit asked for. */
  readonly reports: number;
  /** Those that came to nothing. */
  readonly failed: number;
}

export function turnsOf(agents: readonly Pick<AgentView, "turns">[]): TurnCount {
  const kinds = agents.flatMap(({ turns }) => turns.map(kindOf));
  const count = (kind: keyof TurnCount): number => kinds.filter((one) => one === kind).length;
  return {
    turns: count("turns"),
    sentBack: count("sentBack"),
    reports: count("reports"),
    failed: count("failed"),
  };
}

function kindOf({ finish, forced }: TurnView): keyof TurnCount {
  if (finish === "restarted") return "sentBack";
  if (finish === "failed") return "failed";
  return forced ? "reports" : "turns";
}

/** `7 turns + 2 sent back`. */
export const turnsLabel = ({ turns, sentBack, reports, failed }: TurnCount): string =>
  [
    counted(turns, "turn"),
    ...(sentBack > 0 ? [`${sentBack} sent back`] : []),
    ...(failed > 0 ? [`${failed} that came to nothing`] : []),
    ...(reports > 0 ? [counted(reports, "forced report")] : []),
  ].join(" + ");
