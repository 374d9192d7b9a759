import type { RunStatus } from "@agentpool/journal";
import type { Palette } from "../palette.ts";

/** A run's status as it is shown. */
export function statusLabel(status: RunStatus, palette: Palette): string {
  switch (status) {
    case "completed":
      return palette.green(status);
    case "failed":
      return palette.red(status);
    case "running":
      return palette.cyan(status);
    default:
      return palette.yellow(status);
  }
}

/** Agents that are named in a line. */
const MOST = 12;

/** Names in a row, as many as a line has room for. */
export const named = (agents: readonly string[]): string =>
  agents.length === 0
    ? "none yet"
    : agents.length > MOST
      ? `${agents.slice(0, MOST).join(", ")} and ${agents.length - MOST} more`
      : agents.join(", ");
