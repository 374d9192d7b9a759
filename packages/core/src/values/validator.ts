import { type ZodType, z } from "zod";
import type { JsonSchema } from "./json.ts";

/** A validator of JSON by a JSON Schema. */
export const jsonValidator = (schema: JsonSchema): ZodType =>
  ofOwnProperties(z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]), () => schema);

/**
 * A validator that looks at a value's own properties alone. zod also finds those that every object inherits: of `{}` it
 * would say that its `constructor` is a function. `schema` gives what it validates as JSON Schema, and is asked once.
 */
export function ofOwnProperties(validator: ZodType, schema: () => JsonSchema): ZodType {
  let known = validators.get(validator);
  if (!known) {
    known = namesInherited(schema()) ? z.preprocess(withoutPrototypes, validator) : validator;
    validators.set(validator, known);
  }
  return known;
}

const validators = new WeakMap<ZodType, ZodType>();

const INHERITED = Object.getOwnPropertyNames(Object.prototype).map((name) => JSON.stringify(name));

/** Whether a property that every object inherits may be named in a schema. */
function namesInherited(schema: JsonSchema): boolean {
  const text = JSON.stringify(schema);
  return INHERITED.some((name) => text.includes(name));
}

/** JSON whose objects inherit nothing. */
export function withoutPrototypes(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const bare = Object.create(null) as Record<string, unknown>;
  for (const [key, inner] of Object.entries(value)) bare[key] = withoutPrototypes(inner);
  return bare;
}
