import { type JsonSchema, validatorOf, withoutPrototypes } from "@agentpool/core";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";

/** The arguments of a call as they are taken, or what is wrong with them. */
export type Check = (args: object) => { readonly args: object } | { readonly issues: readonly Issue[] };

interface Issue {
  readonly path: PropertyKey[];
  readonly message: string;
}

/**
 * A check for arguments under a schema that asks for more than most of JSON Schema, or under which a check may take for
 * ever; undefined where they can be checked as any tool's are.
 *
 * @throws where a schema is none.
 */
export function ownCheck(schema: JsonSchema): Check | undefined {
  const check = isUnicode(schema) ? undefined : plainCheck(schema);
  if (!check) return fullCheck(schema);
  return mayTakeForever(schema) ? check : undefined;
}

/** As any tool's are checked; undefined where the schema asks for more. */
function plainCheck(parameters: JsonSchema): Check | undefined {
  try {
    const validator = validatorOf({ name: "", description: "", parameters, execute: () => undefined });
    return (args) => {
      const { data, error } = validator.safeParse(args);
      return error ? { issues: error.issues } : { args: data as object };
    };
  } catch {
    return undefined;
  }
}

/** By a validator of all of JSON Schema, [Ajv](https://ajv.js.org). */
function fullCheck(schema: JsonSchema): Check {
  const validate = new AjvJsonSchemaValidator().getValidator<object>(schema);
  return (args) => {
    const { valid, errorMessage } = validate(withoutPrototypes(args));
    return valid ? { args } : { issues: [{ path: [], message: errorMessage }] };
  };
}

/** Classes such as `\p{L}` mean something in expressions of Unicode alone, which those of plain checks are not. */
const isUnicode = (schema: JsonSchema): boolean => /\\p\{/i.test(JSON.stringify(schema));

const REFERENCES: ReadonlySet<string> = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);

/** Regular expressions and references: without them a check takes as long as schema and arguments are. */
function mayTakeForever(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  return Object.entries(schema).some(
    ([key, value]) =>
      (typeof value === "string" && (key === "pattern" || REFERENCES.has(key))) ||
      key === "patternProperties" ||
      mayTakeForever(value),
  );
}
