import { type JsonSchema, jsonValidator } from "@agentpool/core";
import { prettifyError, type ZodType } from "zod";

/** What is wrong with a value, in words, or undefined where it fits the schema. */
export function misfit(value: unknown, schema: JsonSchema): string | undefined {
  const validator = validatorOf(schema);
  if (validator === undefined) return undefined;
  try {
    const result = validator.safeParse(value);
    return result.success ? undefined : prettifyError(result.error);
  } catch {
    // A schema that cannot be applied says nothing about the value.
    return undefined;
  }
}

const validators = new WeakMap<JsonSchema, { readonly type: ZodType | undefined }>();

function validatorOf(schema: JsonSchema): ZodType | undefined {
  let known = validators.get(schema);
  if (known === undefined) {
    known = { type: made(schema) };
    validators.set(schema, known);
  }
  return known.type;
}

function made(schema: JsonSchema): ZodType | undefined {
  try {
    return jsonValidator(schema);
  } catch {
    // A keyword that there is no validator for.
    return undefined;
  }
}
