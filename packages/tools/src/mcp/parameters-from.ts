import { type JsonSchema, validatorOf } from "@agentpool/core";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { type ZodObject, z } from "zod";
import { clean } from "./clean.ts";

/** Characters of a schema: each is sent to the model with every request. */
const LONGEST = 64 * 1024;

/**
 * The schema of a server's tool as parameters: as it stands where that can be checked like any tool's; else checked by
 * a validator of all of JSON Schema. Text: why it cannot be used.
 */
export function parametersFrom(schema: JsonSchema): JsonSchema | ZodObject | string {
  if (JSON.stringify(schema).length > LONGEST) return `its schema is longer than ${LONGEST} characters`;
  try {
    const parameters = cleaned(schema) as JsonSchema;
    return isTaken(parameters) ? parameters : checkedElsewhere(parameters);
  } catch (error) {
    return `its schema cannot be used (${clean((error as Error).message, 200)})`;
  }
}

function isTaken(parameters: JsonSchema): boolean {
  try {
    validatorOf({ name: "", description: "", parameters, execute: () => undefined });
    return true;
  } catch {
    return false;
  }
}

/** Shown as it is, and checked by [Ajv](https://ajv.js.org). */
function checkedElsewhere(schema: JsonSchema): ZodObject {
  const validate = new AjvJsonSchemaValidator().getValidator<object>(schema);
  return z
    .looseObject({})
    .superRefine((args, { addIssue }) => {
      const checked = validate(args);
      if (!checked.valid) addIssue({ code: "custom", message: checked.errorMessage });
    })
    .meta(schema);
}

/** What a schema says to people is shown to models: without what cannot be seen. Its own name is of no use here. */
function cleaned(value: unknown, key = ""): unknown {
  if (typeof value === "string")
    return key === "description" || key === "title" ? clean(value, 2_000) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => cleaned(inner));
  const kept = Object.entries(value).filter(
    ([name, inner]) => !((name === "id" || name === "$id") && typeof inner === "string"),
  );
  return Object.fromEntries(kept.map(([name, inner]) => [name, cleaned(inner, name)]));
}
