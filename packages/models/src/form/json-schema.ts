import type { JsonSchema } from "@agentpool/core";

export const recordIn = (value: unknown): { readonly [key: string]: unknown } | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as { [key: string]: unknown })
    : undefined;

export const schemasIn = (value: unknown): readonly JsonSchema[] =>
  Array.isArray(value) ? value.filter((item) => recordIn(item) !== undefined) : [];

/** A schema with what it refers to in its place; only references into the schema itself are followed. */
export function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let at = schema;
  for (let hops = 0; hops < 8; hops++) {
    if (typeof at.$ref !== "string" || !at.$ref.startsWith("#")) return at;
    let target: unknown = root;
    for (const step of at.$ref.slice(1).split("/").filter(Boolean)) {
      const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
      const holder = recordIn(target);
      target = holder && Object.hasOwn(holder, name) ? holder[name] : undefined;
    }
    const found = recordIn(target);
    if (found === undefined) return at;
    at = found;
  }
  return at;
}

/** Whether null is a value of the schema. One that says nothing about it takes everything. */
export function takesNull(schema: JsonSchema, root: JsonSchema): boolean {
  const { type, enum: values, anyOf, oneOf, allOf, nullable, ...rest } = resolved(schema, root);
  if (nullable === true) return true;
  if (type !== undefined) return type === "null" || (Array.isArray(type) && type.includes("null"));
  if (Array.isArray(values)) return values.includes(null);
  if ("const" in rest) return rest.const === null;
  const either = [...schemasIn(anyOf), ...schemasIn(oneOf)];
  if (either.length > 0) return either.some((option) => takesNull(option, root));
  return schemasIn(allOf).every((part) => takesNull(part, root));
}
