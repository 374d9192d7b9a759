import type { Harness } from "./harness.ts";
import { HarnessError, keyName } from "./problem.ts";

/** A model by name with the settings of its route. */
export interface Route {
  readonly model: string;
  readonly reasoning?: string | undefined;
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly contextWindow?: number | undefined;
  /** The key that says so. */
  readonly place: readonly string[];
}

/**
 * What is asked for, in the words of the configuration: of the routes of `models` that match, the most specific, else
 * `model`. A route is a name, a name that ends in `.*`, or `*`.
 */
export function routeFor(asked: string, harness: Harness): Route {
  const { model, models } = harness.config;
  const pattern = Object.keys(models)
    .filter((route) => matches(route, asked))
    .sort((a, b) => b.length - a.length)[0];
  if (pattern === undefined) return { model, place: ["model"] };
  const place = ["models", pattern];
  const target = models[pattern]!;
  if (!Array.isArray(target)) return { ...settingsIn(target), place };
  if (target.length > 1)
    throw unbuilt(harness, pattern, "a list of models, the next tried when one is down,");
  return { ...settingsIn(target[0]!), place };
}

const settingsIn = (target: string | Omit<Route, "place">): Omit<Route, "place"> =>
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
