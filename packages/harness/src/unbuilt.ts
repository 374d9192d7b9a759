import type { Harness } from "./harness.ts";
import { found, HarnessError, keyName, type Problem } from "./problem.ts";
import { valueAt } from "./validate.ts";

/** A key that may be written and cannot be used yet. */
interface Unbuilt {
  readonly path: readonly string[];
  /** What it would be, and what to do until then. */
  readonly message: string;
}

const UNBUILT: readonly Unbuilt[] = [
  {
    path: ["tools", "web"],
    message:
      "tools for the web are not built yet. Take the key out; until then an MCP server in tools.mcp.servers, or a tool of your own program, can search and fetch.",
  },
];

/** Where the configuration asks for a part that is not built yet. */
export function unbuiltProblems(harness: Harness): Problem[] {
  return UNBUILT.flatMap(({ path, message }): Problem[] => {
    const value = valueAt(harness.config, path);
    if (value === undefined) return [];
    const origin = harness.originOf(path, "key");
    return [{ origin, key: keyName(path), message: `got ${found(value)}, but ${message}` }];
  });
}

/** Throws `HarnessError` where the configuration asks for a part that is not built yet. Call it before a run. */
export function assertBuilt(harness: Harness): void {
  const problems = unbuiltProblems(harness);
  if (problems.length > 0) throw new HarnessError(problems);
}
