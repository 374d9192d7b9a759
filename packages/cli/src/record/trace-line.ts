import type { StoredEntry } from "@agentpool/journal";
import type { Palette } from "../palette.ts";
import { oneLine } from "../printable.ts";

/** What an event says beside who and when; the rest is in `--json`. */
const TOLD = [
  "tool",
  "guard",
  "reason",
  "message",
  "exit",
  "outcome",
  "args",
  "input",
  "task",
  "decision",
  "question",
  "status",
  "by",
  "error",
  "text",
  "model",
  "names",
  "problem",
  "adjustedReasoning",
  "todo",
  "matched",
] as const;

/** Least and, where the screen does not say, most columns for what an event says. */
const LEAST = 24;
const MOST = 120;

/**
 * An event on one line: seconds since the run began, its type, whom it is about, what it says. `width`: columns of the
 * screen; undefined: it is not one.
 */
export function traceLine(entry: StoredEntry, start: number, palette: Palette, width?: number): string {
  const fields = entry as unknown as Record<string, unknown>;
  const about = (fields.call ?? fields.agent ?? fields.pool ?? "") as string;
  const said = TOLD.flatMap((name) => {
    const value = fields[name];
    return value === undefined || value === null ? [] : [shown(value)];
  });
  const seconds = ((entry.at - start) / 1_000).toFixed(2).padStart(8);
  const head = `  ${entry.type.padEnd(18)}  ${about}  `;
  const room = width === undefined ? MOST : Math.max(LEAST, width - seconds.length - head.length);
  return `${palette.dim(seconds)}${head}${oneLine(said.join("  "), room)}`.trimEnd();
}

function shown(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "object" && value !== null && "type" in value) return String(value.type);
  return JSON.stringify(value);
}
