import type { Harness } from "./harness.ts";
import { HarnessError, keyName } from "./problem.ts";

/** A model by name with the settings of its route. */
export interface ModelChoice {
  readonly model: string;
  readonly reasoning?: string | undefined;
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
}

/**
 * The model for what is asked: of the routes of `models` that match, the most specific, else `model`. A route is a
 * name, `*`, or a name that ends in `.*`.
 */
export function modelFor(asked: string, harness: Harness): ModelChoice {
  const { model, models } = harness.config;
  const pattern = Object.keys(models)
    .filter((route) => matches(route, asked))
    .sort((a, b) => b.length - a.length)[0];
  const target = pattern === undefined ? undefined : Object.getOwnPropertyDescriptor(models, pattern)?.value;
  if (pattern === undefined || target === undefined) return { model };
  if (Array.isArray(target)) {
    if (target.length > 1)
      throw unbuilt(harness, pattern, "lists of models, the next tried when one is down,");
    return choice(target[0]);
  }
  return choice(target);
}

const choice = (target: string | ModelChoice): ModelChoice =>
  typeof target === "string" ? { model: target } : target;

function matches(route: string, asked: string): boolean {
  if (route === asked || route === "*") return true;
  return route.endsWith(".*") && asked.startsWith(route.slice(0, -1));
}

function unbuilt(harness: Harness, route: string, what: string): HarnessError {
  const path = ["models", route];
  const message = `asks for ${what} which cannot be used yet.`;
  return new HarnessError([{ origin: harness.originOf(path, "key"), key: keyName(path), message }]);
}
