import { delimiter } from "node:path";
import { nearest } from "@agentpool/core";
import { type Layer, layerOf, type Setting } from "./layer.ts";

/** What an environment variable sets, and how its text becomes the value. */
interface Variable {
  readonly path: readonly string[];
  readonly read: (text: string) => unknown;
}

const asText = (text: string): unknown => text;
const asNumber = (text: string): unknown => (/^\d+$/.test(text.trim()) ? Number(text) : text);
const asList = (text: string): unknown => split(text, ",");
const asPaths = (text: string): unknown => split(text, delimiter);

const split = (text: string, by: string): string[] =>
  text
    .split(by)
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** The environment variables that are read. A variable that is empty is not set. */
export const VARIABLES: Readonly<Record<string, Variable>> = {
  POOL_MODEL: { path: ["model"], read: asText },
  POOL_STORE: { path: ["store"], read: asText },
  POOL_PROGRAM: { path: ["program"], read: asText },
  POOL_EFFORT: { path: ["defaults", "effort"], read: asText },
  POOL_CORPUS: { path: ["tools", "corpus", "path"], read: asPaths },
  POOL_GRANTS: { path: ["policy", "grants"], read: asList },
  POOL_DENY: { path: ["policy", "deny"], read: asList },
  POOL_MAX_TURNS: { path: ["defaults", "budget", "maxTurns"], read: asNumber },
  POOL_MAX_TOOL_CALLS: { path: ["defaults", "budget", "maxToolCalls"], read: asNumber },
  POOL_MAX_TOOL_RETRIES: { path: ["defaults", "budget", "maxToolRetries"], read: asNumber },
  POOL_CONCURRENT_TOOLS: { path: ["defaults", "budget", "concurrentTools"], read: asNumber },
  POOL_CONCURRENT_GENERATIONS: { path: ["defaults", "budget", "concurrentGenerations"], read: asNumber },
};

type Environment = Readonly<Record<string, string | undefined>>;

export function environmentLayer(env: Environment): Layer {
  const settings: Setting[] = [];
  for (const [name, { path, read }] of Object.entries(VARIABLES)) {
    const text = env[name];
    if (text === undefined || text === "") continue;
    settings.push({ origin: { type: "environment", name }, path, value: read(text) });
  }
  return layerOf(settings);
}

/** Variables that look like a misspelt one of ours. */
export function misspeltVariables(env: Environment): string[] {
  const ours = Object.keys(VARIABLES).map((name) => name.slice(PREFIX.length));
  return Object.keys(env).flatMap((name) => {
    if (!name.startsWith(PREFIX) || Object.hasOwn(VARIABLES, name)) return [];
    const near = nearest(name.slice(PREFIX.length), ours);
    return near ? [`${name} is not a variable that is read; did you mean ${PREFIX}${near}?`] : [];
  });
}

const PREFIX = "POOL_";
