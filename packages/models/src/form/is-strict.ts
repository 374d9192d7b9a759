import type { JsonSchema } from "@agentpool/core";
import { recordIn, schemasIn } from "./json-schema.ts";

/**
 * Whether a schema is one that OpenAI constrains answers to: every property required, nothing else allowed, a closed
 * object at the top ([structured outputs](https://platform.openai.com/docs/guides/structured-outputs#supported-schemas)).
 * Any other is refused there when it is sent as strict.
 */
export function isStrict(schema: JsonSchema): boolean {
  return schema.type === "object" && isClosed(schema, 0);
}

/** They take no deeper nesting either. */
const deepest = 10;

function isClosed(schema: JsonSchema, depth: number): boolean {
  if (depth > deepest || unsupported.some((keyword) => keyword in schema)) return false;
  const properties = recordIn(schema.properties);
  const isObject = schema.type === "object" || properties !== undefined;
  if (isObject && !isClosedObject(schema, properties ?? {})) return false;
  const inner = [
    ...Object.values(properties ?? {}),
    ...Object.values(recordIn(schema.$defs) ?? {}),
    ...schemasIn(schema.anyOf),
    ...(schema.items === undefined ? [] : [schema.items]),
  ];
  return inner.every((part) => {
    const record = recordIn(part);
    return record !== undefined && isClosed(record, depth + 1);
  });
}

function isClosedObject(schema: JsonSchema, properties: { readonly [name: string]: unknown }): boolean {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return schema.additionalProperties === false && Object.keys(properties).every((name) => required.has(name));
}

const unsupported = [
  "allOf",
  "oneOf",
  "not",
  "if",
  "dependentRequired",
  "dependentSchemas",
  "patternProperties",
];
