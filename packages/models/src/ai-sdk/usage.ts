import type { Usage } from "@agentpool/core";

/** Tokens a provider counted; what it did not count is absent. */
export interface CountedUsage {
  readonly input?: number;
  readonly output?: number;
  readonly cached?: number;
}

/** Reads the usage of any version: numbers in v2, objects by kind since v3. */
export function usageIn(value: unknown): CountedUsage {
  const usage = recordOf(value);
  const input = count(usage.inputTokens) ?? count(recordOf(usage.inputTokens).total);
  const cached = count(usage.cachedInputTokens) ?? count(recordOf(usage.inputTokens).cacheRead);
  return {
    // Some v2 providers count what the cache served beside the input, not as a part of it.
    input: input !== undefined && cached !== undefined && cached > input ? input + cached : input,
    output: count(usage.outputTokens) ?? count(recordOf(usage.outputTokens).total),
    cached,
  };
}

/** Complete usage: estimates stand in for what was not counted. */
export const completeUsage = (counted: CountedUsage, estimate: Usage): Usage => ({
  input: counted.input ?? Math.max(estimate.input, counted.cached ?? 0),
  output: counted.output ?? estimate.output,
  cached: counted.cached ?? 0,
});

const recordOf = (value: unknown): { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null ? (value as { [key: string]: unknown }) : {};

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
