import type { JsonSchema } from "@agentpool/core";
import { recordIn, resolved, schemasIn, takesNull } from "./json-schema.ts";

/**
 * A value without the nulls that stand for "left out". Providers that constrain arguments to a schema know no optional
 * property: the model has to fill each, and fills what it does not need with null. A null stays where the schema takes
 * one, and where the property is required. Gives the very same value where there is nothing to take out.
 */
export const withoutNulls = (value: unknown, schema: JsonSchema): unknown =>
  cleaned(value, schema, schema, 0);

/** Deeper than any arguments that mean something. */
const deepest = 64;

function cleaned(value: unknown, schema: JsonSchema, root: JsonSchema, depth: number): unknown {
  if (depth > deepest) return value;
  const at = resolved(schema, root);
  if (Array.isArray(value)) {
    const items = recordIn(at.items);
    if (items === undefined) return value;
    const next = value.map((item) => cleaned(item, items, root, depth + 1));
    return next.some((item, index) => item !== value[index]) ? next : value;
  }
  const record = recordIn(value);
  if (record === undefined) return value;
  const properties = propertiesOf(at, record, root);
  if (properties === undefined) return value;
  const required = new Set(Array.isArray(at.required) ? at.required : []);
  let changed = false;
  const entries: [string, unknown][] = [];
  for (const [name, held] of Object.entries(record)) {
    const property = Object.hasOwn(properties, name) ? recordIn(properties[name]) : undefined;
    if (property === undefined) entries.push([name, held]);
    else if (held === null && !required.has(name) && !takesNull(property, root)) changed = true;
    else {
      const next = cleaned(held, property, root, depth + 1);
      changed ||= next !== held;
      entries.push([name, next]);
    }
  }
  return changed ? Object.fromEntries(entries) : value;
}

/** What the schema says about each property; of several forms, the first that knows every property there is. */
function propertiesOf(
  schema: JsonSchema,
  value: { readonly [key: string]: unknown },
  root: JsonSchema,
): { readonly [name: string]: unknown } | undefined {
  const own = recordIn(schema.properties);
  if (own !== undefined) return own;
  for (const option of [...schemasIn(schema.anyOf), ...schemasIn(schema.oneOf)]) {
    const properties = recordIn(resolved(option, root).properties);
    if (properties && Object.keys(value).every((name) => Object.hasOwn(properties, name))) return properties;
  }
  return undefined;
}
