import type { Json, JsonSchema } from "@agentpool/core";

/** The smallest value that fits a JSON Schema, with `text` where a string is free. The same every time. */
export function exampleOf(schema: JsonSchema | boolean | undefined, text: string, depth = 0): Json {
  if (schema === undefined || typeof schema === "boolean" || depth > 32) return text;
  if ("const" in schema) return schema.const as Json;
  if ("default" in schema) return schema.default as Json;
  if (Array.isArray(schema.enum)) return schema.enum[0] as Json;
  for (const key of ["anyOf", "oneOf", "allOf"]) {
    const choices = schema[key];
    if (Array.isArray(choices)) return exampleOf(choices[0] as JsonSchema, text, depth + 1);
  }
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "object": {
      const properties = (schema.properties ?? {}) as { readonly [key: string]: JsonSchema };
      const required = (schema.required ?? []) as readonly string[];
      return Object.fromEntries(required.map((key) => [key, exampleOf(properties[key], text, depth + 1)]));
    }
    case "array": {
      const length = typeof schema.minItems === "number" ? schema.minItems : 0;
      return Array.from({ length }, () => exampleOf(schema.items as JsonSchema, text, depth + 1));
    }
    case "integer":
    case "number":
      return numberIn(schema);
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return stringIn(schema, text);
  }
}

function numberIn({ minimum, exclusiveMinimum, maximum }: JsonSchema): number {
  if (typeof exclusiveMinimum === "number") return exclusiveMinimum + 1;
  if (typeof minimum === "number" && minimum > -Number.MAX_SAFE_INTEGER) return minimum;
  return typeof maximum === "number" ? Math.min(0, maximum) : 0;
}

function stringIn({ minLength, maxLength }: JsonSchema, text: string): string {
  const long = typeof minLength === "number" ? text.padEnd(minLength, ".") : text;
  return typeof maxLength === "number" ? long.slice(0, maxLength) : long;
}
