import { nearest, type Tool } from "@agentpool/core";
import type { Harness } from "./harness.ts";
import { describeOrigin } from "./origin.ts";

/**
 * Names in `policy` that no tool here has while another's is so near that it was probably meant. A name that is
 * nowhere near may be about a tool that this harness does not have, which is fine.
 */
export function misspeltNames(harness: Harness, tools: readonly Tool[]): string[] {
  const known = tools.map(({ name }) => name);
  return (["deny", "requireApproval", "grants"] as const).flatMap((key) =>
    harness.config.policy[key].flatMap((name) => {
      if (known.includes(name) || /[*:]/.test(name)) return [];
      const near = nearest(name, known);
      if (near === undefined) return [];
      const place = describeOrigin(harness.originOf(["policy", key], "value"));
      return [`${place}: policy.${key} names ${name}, which no tool here is called; did you mean ${near}?`];
    }),
  );
}
