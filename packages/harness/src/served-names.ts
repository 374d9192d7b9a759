import { identityOf, selects, type Tool } from "@agentpool/core";
import type { Harness } from "./harness.ts";
import { namesInPolicy } from "./names-in-policy.ts";
import { HarnessError, keyName } from "./problem.ts";

/**
 * Throws `HarnessError` where the policy names a tool as its MCP server does, and nothing here is called so: a deny
 * that means nothing would be no deny.
 */
export function assertServedNames(harness: Harness, tools: readonly Tool[]): void {
  const meant = (pattern: string, tool: Tool) =>
    selects(pattern, { name: tool.name, identity: identityOf(tool) });
  const problems = namesInPolicy(harness).flatMap(({ path, names }) =>
    names.flatMap((name) => {
      if (tools.some((tool) => meant(name, tool))) return [];
      const served = tools.find(({ source, meta }) => {
        const own = source === "mcp" && meta?.name;
        return typeof own === "string" && selects(name, { name: own, identity: own });
      });
      if (!served) return [];
      const message = `names ${name}, which no tool here is called; ${served.meta?.server} calls one of its tools so: write ${identityOf(served)}, or ${served.name}.`;
      return [{ origin: harness.originOf(path, "value"), key: keyName(path), message }];
    }),
  );
  if (problems.length > 0) throw new HarnessError(problems);
}
