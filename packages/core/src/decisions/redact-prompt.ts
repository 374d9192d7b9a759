import type { JsonSchema } from "../values/json.ts";
import type { Message, Prefix, Prompt } from "../values/model.ts";
import type { Redaction } from "./redaction.ts";

/** Messages as a model may read them: what was said in them is hidden; ids, roles and names of tools are not. */
export const redactPrompt = (messages: Prompt, redaction: Redaction): Prompt =>
  messages.map((message) => redactMessage(message, redaction));

function redactMessage(message: Message, redaction: Redaction): Message {
  if (message.role === "system") return { ...message, content: redaction.hide(message.content) };
  const content = (message.content as readonly Part[]).map((part) => redactPart(part, redaction));
  return { ...message, content } as Message;
}

type Part = Exclude<Message, { role: "system" }>["content"][number];

function redactPart(part: Part, redaction: Redaction): Part {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { ...part, text: redaction.hide(part.text) };
    case "tool-call":
      return { ...part, input: redaction.hideIn(part.input) };
    case "tool-result":
      return { ...part, output: redactOutput(part.output, redaction) };
    case "file":
      return { ...part, filename: redaction.hideIn(part.filename) };
    default:
      return redaction.hideIn(part);
  }
}

type Output = Extract<Part, { type: "tool-result" }>["output"];

const redactOutput = (output: Output, redaction: Redaction): Output =>
  Object.fromEntries(
    Object.entries(output).map(([key, value]) => [key, key === "type" ? value : redaction.hideIn(value)]),
  ) as Output;

/** What sessions start with: texts, not names. */
export const redactPrefix = ({ system, tools }: Prefix, redaction: Redaction): Prefix => ({
  system: redaction.hide(system),
  tools: tools.map((tool) => ({
    ...tool,
    description: redaction.hide(tool.description),
    parameters: redactSchema(tool.parameters, redaction),
  })),
});

/** Keywords of JSON Schema that hold texts and values, and those that hold schemas by name. */
const VALUES = new Set(["title", "description", "$comment", "default", "examples", "enum", "const"]);
const BY_NAME = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** A schema whose texts and values are hidden; its structure is not, by which arguments are checked. */
export function redactSchema(schema: JsonSchema, redaction: Redaction): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (VALUES.has(key)) return [key, redaction.hideIn(value)];
      if (BY_NAME.has(key) && isObject(value))
        return [
          key,
          Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, within(inner, redaction)])),
        ];
      return [key, within(value, redaction)];
    }),
  );
}

const within = (value: unknown, redaction: Redaction): unknown => {
  if (Array.isArray(value)) return value.map((item) => within(item, redaction));
  return isObject(value) ? redactSchema(value, redaction) : value;
};

const isObject = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null;
