import type { Args, Json, JsonSchema } from "@agentpool/core";
import { exampleOf } from "../../scripted/example.ts";
import { isRecord } from "../conversation/exchanges.ts";

/**
 * Arguments that fit a schema: `known` values where it has a property for them, the smallest valid value where it
 * requires something else, nothing more.
 */
export function fill(schema: JsonSchema, known: Readonly<Record<string, unknown>>, text: string): Args {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const args: Args = {};
  for (const [name, property] of Object.entries(properties)) {
    const shape = isRecord(property) ? property : {};
    const value = known[name];
    if (value !== undefined && fits(shape, value)) args[name] = clamp(shape, value);
    else if (required.has(name)) args[name] = exampleOf(shape, text);
  }
  return args;
}

/** Whether a value is of a type that the schema takes. A schema without a type takes all. */
export function fits(schema: JsonSchema, value: unknown): boolean {
  for (const key of ["anyOf", "oneOf"]) {
    const choices = schema[key];
    if (Array.isArray(choices)) return choices.some((choice) => isRecord(choice) && fits(choice, value));
  }
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  if ("const" in schema) return schema.const === value;
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return types.some((type) => {
    switch (type) {
      case undefined:
        return true;
      case "string":
        return typeof value === "string";
      case "number":
        return typeof value === "number";
      case "integer":
        return Number.isInteger(value);
      case "boolean":
        return typeof value === "boolean";
      case "array":
        return Array.isArray(value);
      case "object":
        return isRecord(value);
      case "null":
        return value === null;
      default:
        return false;
    }
  });
}

/** Shortens what is longer than the schema takes. */
function clamp(schema: JsonSchema, value: unknown): unknown {
  if (typeof value === "string") {
    return typeof schema.maxLength === "number" ? value.slice(0, schema.maxLength) : value;
  }
  if (Array.isArray(value)) {
    return typeof schema.maxItems === "number" ? value.slice(0, schema.maxItems) : value;
  }
  if (typeof value === "number") {
    const high = typeof schema.maximum === "number" ? schema.maximum : value;
    const low = typeof schema.minimum === "number" ? schema.minimum : value;
    return Math.max(low, Math.min(high, value));
  }
  return value;
}

/** The schema of a list's items. */
export const itemsOf = (schema: unknown): JsonSchema =>
  isRecord(schema) && isRecord(schema.items) ? schema.items : {};

/** A value for any schema, for a turn that must be JSON. */
export const anything = (schema: JsonSchema, known: Readonly<Record<string, unknown>>, text: string): Json =>
  schema.type === "object" || isRecord(schema.properties)
    ? (fill(schema, known, text) as Json)
    : exampleOf(schema, text);
