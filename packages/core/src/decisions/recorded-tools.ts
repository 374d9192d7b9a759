import { createHash } from "node:crypto";
import type { RecordedTool } from "../values/journal.ts";
import { parametersOf } from "../values/tool.ts";
import type { BoundTool } from "./bind.ts";
import { canonicalJson } from "./canonical.ts";

/** A pool's tools as they are put on record. */
export const recordedTools = (tools: ReadonlyMap<string, BoundTool>): RecordedTool[] =>
  [...tools.values()].map(({ tool, name, identity }) => ({
    name,
    identity,
    digest: createHash("sha256")
      .update(canonicalJson(parametersOf(tool)))
      .digest("hex")
      .slice(0, 16),
  }));

/** What of a pool's tools is not as recorded, in words. */
export function toolChanges(before: readonly RecordedTool[], now: readonly RecordedTool[]): string[] {
  const changes: string[] = [];
  for (const { name, identity, digest } of before) {
    const tool = now.find((other) => other.name === name);
    if (!tool) changes.push(`"${name}" is missing`);
    else if (tool.identity !== identity) changes.push(`"${name}" was ${identity} and is ${tool.identity}`);
    else if (tool.digest !== digest) changes.push(`"${name}" takes other parameters`);
  }
  for (const { name } of now)
    if (!before.some((other) => other.name === name)) changes.push(`"${name}" is new`);
  return changes;
}
