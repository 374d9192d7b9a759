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
