import type { JsonSchema } from "@agentpool/core";
import type { Limits } from "./json-grammar.ts";

const leastCharacters = 200;
const mostCharacters = 2_000;
const items = 12;

/**
 * How long strings may get where a schema does not say: so that all of them together fit about into what a turn may
 * take, and a model that does not find an end comes to one.
 */
export function limitsFor(schemas: readonly JsonSchema[], maxTokens: number): Limits {
  const strings = Math.max(1, ...schemas.map((schema) => stringsIn(schema, 0)));
  const share = Math.round((3 * maxTokens) / strings);
  return { characters: Math.max(leastCharacters, Math.min(mostCharacters, share)), items };
}

/** About how many strings a value may hold. A list counts as three of its items. */
function stringsIn(schema: unknown, depth: number): number {
  if (typeof schema !== "object" || schema === null || depth > 8) return 0;
  const { type, properties, items, anyOf, oneOf, prefixItems } = schema as JsonSchema;
  const own = type === "string" && !("enum" in schema) && !("const" in schema) ? 1 : 0;
  const sum = (parts: unknown) =>
    Object.values((parts ?? {}) as object).reduce((all: number, part) => all + stringsIn(part, depth + 1), 0);
  const most = [anyOf, oneOf].flatMap((ways) => (Array.isArray(ways) ? ways : []));
  const chosen = Math.max(0, ...most.map((way) => stringsIn(way, depth + 1)));
  return own + chosen + sum(properties) + sum(prefixItems) + 3 * stringsIn(items, depth + 1);
}
