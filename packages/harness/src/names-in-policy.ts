import type { Harness } from "./harness.ts";

/** Where the policy of a harness names tools. */
export interface NamesInPolicy {
  readonly path: readonly string[];
  readonly names: readonly string[];
}

export function namesInPolicy({ config: { policy } }: Harness): NamesInPolicy[] {
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
