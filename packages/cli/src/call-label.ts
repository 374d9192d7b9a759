import type { Args } from "@agentpool/core";
import { oneLine } from "./printable.ts";

/** A call in a few words: the tool and its arguments' values, `search "how do guards work"`. */
export function callLabel(tool: string, args: Args | string, length = 80): string {
  const values = typeof args === "string" ? [args] : Object.values(args).map((value) => shown(value, length));
  return oneLine([tool, ...values].join(" "), length);
}

function shown(value: unknown, length: number): string {
  if (typeof value !== "string") return JSON.stringify(value) ?? "";
  const line = oneLine(value, length);
  return /\s/.test(line) || line === "" ? JSON.stringify(line) : line;
}
