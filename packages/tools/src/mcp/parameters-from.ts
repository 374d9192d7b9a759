import type { JsonSchema } from "@agentpool/core";
import { type ZodObject, z } from "zod";
import { type Check, ownCheck } from "./arguments-check.ts";
import { clean } from "./clean.ts";
import { inTime, OutOfTime } from "./in-time.ts";

/** Characters of a schema: each is sent to the model with every request. */
const LONGEST = 64 * 1024;
/** Schemas inside of schemas: those of people have a few. */
const DEEPEST = 100;
/** Milliseconds that a schema, and then the arguments of a call, may take: most take less than one. */
const TIME = 500;

/**
 * The schema of a server's tool as parameters: as it stands where that can be checked like any tool's, else with a
 * check of its own. Text: why it cannot be used.
 */
export function parametersFrom(schema: JsonSchema): JsonSchema | ZodObject | string {
  try {
    const parameters = cleaned(schema) as JsonSchema;
    if (JSON.stringify(parameters).length > LONGEST) return `its schema is longer than ${LONGEST} characters`;
    const check = inTime(TIME, () => ownCheck(parameters));
    return check ? checked(parameters, check) : parameters;
  } catch (error) {
    return `its schema cannot be used (${clean((error as Error).message, 200)})`;
  }
}

/** Shown as it is, and checked in limited time. */
const checked = (schema: JsonSchema, check: Check): ZodObject =>
  z
    .looseObject({})
    .check((call) => {
      const found = checkedInTime(check, call.value);
      if ("args" in found) call.value = found.args as typeof call.value;
      else
        for (const { path, message } of found.issues)
          call.issues.push({ code: "custom", path, message, input: call.value });
    })
    .meta({ additionalProperties: undefined, ...schema });

function checkedInTime(check: Check, args: object): ReturnType<Check> {
  try {
    return inTime(TIME, () => check(args));
  } catch (error) {
    const why = error instanceof OutOfTime ? error.message : "the schema has no end";
    return { issues: [{ path: [], message: `cannot be checked: ${why}` }] };
  }
}

/**
 * What a schema says to people is shown to models: without what cannot be seen. Its own name is of no use here, and
 * `$async` is no word of JSON Schema.
 */
function cleaned(value: unknown, key = "", depth = 0): unknown {
  if (typeof value === "string")
    return key === "description" || key === "title" ? clean(value, 2_000) : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST) throw new Error(`it is nested more than ${DEEPEST} times`);
  if (Array.isArray(value)) return value.map((inner) => cleaned(inner, "", depth + 1));
  const kept = Object.entries(value).filter(
    ([name, inner]) =>
      !(name === "$async" && inner === true) &&
      !((name === "id" || name === "$id") && typeof inner === "string"),
  );
  return Object.fromEntries(kept.map(([name, inner]) => [name, cleaned(inner, name, depth + 1)]));
}
