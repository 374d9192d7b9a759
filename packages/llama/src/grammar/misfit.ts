import { type JsonSchema, jsonValidator } from "@agentpool/core";
import { prettifyError, type ZodType } from "zod";

const validators = new WeakMap<JsonSchema, ZodType | undefined>();

/** What is wrong with JSON by a schema; undefined where it fits, or the schema cannot be checked here. */
export function misfit(json: string, schema: JsonSchema): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return (error as Error).message;
  }
  const found = validatorOf(schema)?.safeParse(value);
  return found === undefined || found.success ? undefined : prettifyError(found.error);
}

function validatorOf(schema: JsonSchema): ZodType | undefined {
  if (!validators.has(schema)) validators.set(schema, made(schema));
  return validators.get(schema);
}

function made(schema: JsonSchema): ZodType | undefined {
  try {
    return jsonValidator(schema);
  } catch {
    return undefined;
  }
}
