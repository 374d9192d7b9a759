import { identityOf, nearest, type Tool } from "@agentpool/core";
import type { Harness } from "./harness.ts";
import { namesInPolicy } from "./names-in-policy.ts";
import { describeOrigin } from "./origin.ts";
import { keyName } from "./problem.ts";

/**
 * Names in `policy` that no tool here has while another's is so near that it was probably meant. A name that is
 * nowhere near may be about a tool that this harness does not have, which is fine.
 */
export function misspeltNames(harness: Harness, tools: readonly Tool[]): string[] {
  const known = tools.flatMap((tool) => [tool.name, identityOf(tool)]);
  return namesInPolicy(harness).flatMap(({ path, names }) =>
    names.flatMap((name) => {
      if (known.includes(name) || name.includes("*")) return [];
      const near = nearest(name, known);
      if (near === undefined) return [];
      const place = describeOrigin(harness.originOf(path, "value"));
      return [
        `${place}: ${keyName(path)} names ${name}, which no tool here is called; did you mean ${near}?`,
      ];
    }),
  );
}
