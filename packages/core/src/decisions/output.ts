import { prettifyError, toJSONSchema, type ZodType } from "zod";
import type { JsonSchema } from "../values/json.ts";
import { ofOwnProperties } from "../values/validator.ts";

export type Output =
  | { readonly type: "value"; readonly value: unknown }
  | { readonly type: "invalid"; readonly message: string };

/** What an agent answered, in the form its task asks for. Text is taken as JSON, with or without a code fence. */
export function readOutput(answer: unknown, schema: ZodType): Output {
  let value = answer;
  if (typeof answer === "string") {
    const parsed = parseJson(answer);
    if (parsed !== undefined) value = parsed;
  }
  const result = ofOwnProperties(schema, () => outputSchema(schema)).safeParse(value);
  return result.success
    ? { type: "value", value: result.data }
    : { type: "invalid", message: prettifyError(result.error) };
}

function parseJson(text: string): unknown {
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text);
  try {
    return JSON.parse(fenced?.[1] ?? text);
  } catch {
    return undefined;
  }
}

export const outputSchema = (schema: ZodType): JsonSchema =>
  toJSONSchema(schema, { io: "input" }) as JsonSchema;
