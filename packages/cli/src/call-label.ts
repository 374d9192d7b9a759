import type { Args } from "@agentpool/core";
import { oneLine } from "./printable.ts";

/** A call in a few words: the tool and its arguments' values, `search "how do guards work"`. */
export function callLabel(tool: string, args: Args | string, length = 80): string {
  const values = typeof args === "string" ? [args] : Object.values(args).map(shown);
  return oneLine([tool, ...values].join(" "), length);
}

function shown(value: unknown): string {
  if (typeof value === "string") return /\s/.test(value) || value === "" ? JSON.stringify(value) : value;
  return JSON.stringify(value) ?? "";
}
