import { prettifyError, type ZodType } from "zod";
import type { Args } from "../values/json.ts";
import { frozenCopy } from "./copy.ts";
import { unknownName } from "./names.ts";

export type Parsed =
  | { readonly type: "parsed"; readonly args: Args }
  | { readonly type: "invalid"; readonly message: string };

/** A call's arguments as the model wrote them: JSON, an object, and what the tool's schema takes. */
export function parseArgs(tool: string, input: string, schema: ZodType): Parsed {
  let value: unknown;
  if (typeof input !== "string")
    return invalid(`The arguments of ${tool} are not text. Send them again as one JSON object.`);
  try {
    value = input.trim() === "" ? {} : JSON.parse(input);
  } catch (error) {
    return invalid(
      `The arguments of ${tool} are not valid JSON: ${(error as Error).message}. Send them again as one JSON object.`,
    );
  }
  return validateArgs(tool, value, schema);
}

/** Arguments against a tool's schema. */
export function validateArgs(tool: string, value: unknown, schema: ZodType): Parsed {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return invalid(`The arguments of ${tool} must be a JSON object. Send them again as one.`);
  try {
    const result = schema.safeParse(value);
    if (result.success) return { type: "parsed", args: frozenCopy(result.data as Args) };
    return invalid(
      `The arguments of ${tool} don't fit its schema:\n${prettifyError(result.error)}\nCorrect them and call again.`,
    );
  } catch (error) {
    return invalid(`The arguments of ${tool} could not be checked (${errorType(error)}). Use another tool.`);
  }
}

/** A call of a tool that this turn does not have. */
export const noSuchTool = (tool: string, known: readonly string[]): string =>
  `This call did not run: ${unknownName("tool", tool, known)}`;

const invalid = (message: string): Parsed => ({ type: "invalid", message });

/** The kind of a failure, without its message, which may hold what is not to be shown. */
export function errorType(error: unknown): string {
  try {
    return error instanceof Error ? String(error.constructor.name || error.name) : typeof error;
  } catch {
    return "unknown";
  }
}
