import type { Outcome } from "../values/call.ts";
import type { Json } from "../values/json.ts";
import type { Message } from "../values/model.ts";

/** A value as JSON: what was returned is recorded as it was then. Throws where it is not JSON. */
export function toJson(value: unknown): Json {
  if (value === undefined) return null;
  if (typeof value !== "object" || value === null) {
    if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    throw new TypeError(`${typeof value} is not JSON`);
  }
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError("the result is not JSON");
  return JSON.parse(text) as Json;
}

/** The result of a call as the model reads it. */
export function resultMessage(
  call: { readonly toolCallId: string; readonly tool: string },
  outcome: Outcome,
): Message {
  return {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: call.toolCallId, toolName: call.tool, output: outputOf(outcome) },
    ],
  };
}

type Output =
  | { readonly type: "text" | "error-text"; readonly value: string }
  | { readonly type: "json"; readonly value: Json };

function outputOf(outcome: Outcome): Output {
  switch (outcome.type) {
    case "ok":
    case "substituted":
      return typeof outcome.value === "string"
        ? { type: "text", value: outcome.value }
        : { type: "json", value: outcome.value as Json };
    case "cancelled":
      return { type: "text", value: outcome.message };
    case "error":
    case "refused":
    case "withdrawn":
      return { type: "error-text", value: outcome.message };
  }
}

/** Tokens a text takes, about. Four characters a token is the usual rule of thumb for English. */
export const estimateTokens = (text: string): number => Math.ceil(text.length / 4);

/** Tokens an outcome takes in the context, about. */
export function outcomeTokens(outcome: Outcome): number {
  const { value } = outputOf(outcome);
  return estimateTokens(typeof value === "string" ? value : JSON.stringify(value));
}
