import type { Usage } from "@agentpool/core";
import type { Attributes } from "@opentelemetry/api";

/** A model by the name that its pool or reviewer gives it: `provider/model`, or one name for both. */
export function modelAttributes(model: string): Attributes {
  const [provider, ...rest] = model.split("/");
  return rest.length === 0
    ? { "gen_ai.provider.name": model, "gen_ai.request.model": model }
    : { "gen_ai.provider.name": provider, "gen_ai.request.model": rest.join("/") };
}

/** What a model's turn took: tokens, and US dollars where the price is known. */
export const usageAttributes = (usage: Usage, cost: number | undefined): Attributes => ({
  "gen_ai.usage.input_tokens": usage.input,
  "gen_ai.usage.output_tokens": usage.output,
  "gen_ai.usage.cache_read.input_tokens": usage.cached,
  ...(cost === undefined ? {} : { "agentpool.cost": cost }),
});
