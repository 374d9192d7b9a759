import type { JsonSchema } from "@agentpool/core";
import { toJSONSchema, z } from "zod";

/** What a reviewer answers. */
export type Verdict =
  | { readonly type: "passed"; readonly todo: string | undefined }
  /** `reasoning` takes the place of the agent's own, as if it had reasoned so from the start. */
  | { readonly type: "breach"; readonly reasoning: string };

/** Every part required and nullable, so that providers can hold a model to it. */
export const verdictForm: JsonSchema = formOf(
  z.strictObject({
    passed: z.boolean(),
    todo: z.string().nullable(),
    adjustedReasoning: z.string().nullable(),
  }),
);

/** Characters of what an agent is to read: more would crowd out its own conversation. */
const LONGEST = 8_000;

const verdict = z.object({
  passed: z.boolean(),
  todo: z.string().max(LONGEST).nullish(),
  adjustedReasoning: z.string().max(LONGEST).nullish(),
});

/** Which rules apply, by their ids. */
export const matchForm: JsonSchema = formOf(z.strictObject({ applies: z.array(z.string()) }));

const match = z.object({ applies: z.array(z.string()) });

/** What was read, or why it is not what was asked for, in words for a model. */
export type Read<T> =
  | { readonly type: "read"; readonly value: T }
  | { readonly type: "malformed"; readonly why: string };

export function readVerdict(text: string | undefined): Read<Verdict> {
  const given = readJson(text, verdict);
  if (given.type === "malformed") return given;
  const { passed, todo, adjustedReasoning } = given.value;
  if (passed) return { type: "read", value: { type: "passed", todo: filled(todo) } };
  const reasoning = filled(adjustedReasoning);
  return reasoning === undefined
    ? { type: "malformed", why: "passed is false, and adjustedReasoning is empty" }
    : { type: "read", value: { type: "breach", reasoning } };
}

/** The ids among those that were asked about. */
export function readMatch(text: string | undefined, asked: readonly string[]): Read<readonly string[]> {
  const given = readJson(text, match);
  if (given.type === "malformed") return given;
  const unknown = given.value.applies.find((id) => !asked.includes(id));
  return unknown === undefined
    ? { type: "read", value: given.value.applies }
    : { type: "malformed", why: `${JSON.stringify(unknown)} is no id of a rule` };
}

function readJson<T>(text: string | undefined, schema: z.ZodType<T>): Read<T> {
  let given: unknown;
  try {
    given = JSON.parse(unwrapped(text ?? ""));
  } catch {
    return { type: "malformed", why: "it is not JSON" };
  }
  const read = schema.safeParse(given);
  if (read.success) return { type: "read", value: read.data };
  const [issue] = read.error.issues;
  return { type: "malformed", why: `${issue?.path.join(".") || "the answer"}: ${issue?.message}` };
}

/** Some models put a code fence around JSON whatever they are told. */
const unwrapped = (text: string): string =>
  /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;

const filled = (text: string | null | undefined): string | undefined => text?.trim() || undefined;

function formOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...form } = toJSONSchema(schema) as JsonSchema;
  return form;
}
