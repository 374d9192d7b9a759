import { ConfigurationError, type Model } from "@agentpool/core";
import { resolveModel } from "@agentpool/models";
import type { Harness } from "./harness.ts";
import { HarnessError } from "./problem.ts";
import { routeFor } from "./routes.ts";

/** The models of a harness, by what is asked for: `research`, `review.tools`; `*` where nothing in particular is. */
export function modelsOf(harness: Harness): (asked: string) => Model {
  const made = new Map<string, Model>();
  return (asked) => {
    const { model: name, place, ...settings } = routeFor(asked, harness);
    const known = made.get(place.join("."));
    if (known) return known;
    try {
      const model = resolveModel(name, { ...settings, providers: harness.config.providers });
      made.set(place.join("."), model);
      return model;
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      throw new HarnessError([{ origin: harness.originOf(place, "value"), key: "", message: error.message }]);
    }
  };
}
