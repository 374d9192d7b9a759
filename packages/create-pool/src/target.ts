import { existsSync, readdirSync, statSync } from "node:fs";
import { UsageError } from "./errors.ts";

/** What may stand in a folder that counts as empty: a repository that was just made. */
const nothing = new Set([".git", ".DS_Store"]);

/** Why nothing is written there: what stands in it would be overwritten, or mixed with the project. */
export function whyNotThere(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  if (!statSync(path).isDirectory()) return "it is a file";
  const held = readdirSync(path).filter((name) => !nothing.has(name));
  if (held.length === 0) return undefined;
  const shown = held.slice(0, 3).join(", ");
  return `it is not empty: it has ${shown}${held.length > 3 ? ` and ${held.length - 3} more` : ""}`;
}

export function assertFree(path: string, shown: string): void {
  const why = whyNotThere(path);
  if (why !== undefined)
    throw new UsageError(`Nothing was written to ${shown}: ${why}. Name a folder that is new or empty.`);
}
