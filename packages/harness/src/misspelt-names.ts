import { nearest, type Tool } from "@agentpool/core";
import type { Harness } from "./harness.ts";
import { describeOrigin } from "./origin.ts";
import { keyName } from "./problem.ts";

/**
 * Names in `policy` that no tool here has while another's is so near that it was probably meant. A name that is
 * nowhere near may be about a tool that this harness does not have, which is fine.
 */
export function misspeltNames(harness: Harness, tools: readonly Tool[]): string[] {
  const known = tools.map(({ name }) => name);
  return named(harness).flatMap(({ path, names }) =>
    names.flatMap((name) => {
      if (known.includes(name) || /[*:]/.test(name)) return [];
      const near = nearest(name, known);
      if (near === undefined) return [];
      const place = describeOrigin(harness.originOf(path, "value"));
      return [
        `${place}: ${keyName(path)} names ${name}, which no tool here is called; did you mean ${near}?`,
      ];
    }),
  );
}

interface Names {
  readonly path: readonly string[];
  readonly names: readonly string[];
}

function named({ config: { policy } }: Harness): Names[] {
  const { review } = policy;
  return [
    ...(["deny", "requireApproval", "grants"] as const).map((key) => ({
      path: ["policy", key],
      names: policy[key],
    })),
    { path: ["policy", "review", "tools"], names: review?.tools ?? [] },
    { path: ["policy", "review", "rules"], names: (review?.rules ?? []).flatMap(({ tools = [] }) => tools) },
  ];
}
