import { ConfigurationError, type Model } from "@agentpool/core";
import { extractive } from "@agentpool/models";
import type { Operation } from "effection";
import type { Harness } from "./harness.ts";
import { modelFor } from "./routes.ts";

/** The model that a route of the harness names. Throws `ConfigurationError` for one that is not known. */
export function* useModel(asked: string, harness: Harness): Operation<Model> {
  const choice = modelFor(asked, harness);
  if (choice.model !== "extractive") throw new ConfigurationError(`model ${choice.model} is not known`);
  return extractive();
}
