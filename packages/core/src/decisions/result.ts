import type { Outcome } from "../values/call.ts";
import type { Json } from "../values/json.ts";
import type { Message } from "../values/model.ts";

/** A value as JSON: what was returned is recorded as it was then. Throws where it is not JSON. */
export function toJson(value: unknown): Json {
  if (value === undefined) return null;
  const plain = plainJson(value, PLAIN_DEPTH);
  if (plain !== undefined) return plain;
  if (typeof value !== "object" || value === null) throw new TypeError(`${typeof value} is not JSON`);
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError("the result is not JSON");
  return JSON.parse(text) as Json;
}

/** Deeper values may go round in circles. */
const PLAIN_DEPTH = 8;

/** A copy of what is JSON as it stands, as most results are; undefined: it takes more than copying. */
function plainJson(value: unknown, depth: number): Json | undefined {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : undefined; // JSON has no -0
  if (typeof value !== "object" || depth === 0) return undefined;
  if (Array.isArray(value)) return plainList(value, depth);
  const prototype = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || "toJSON" in value) return undefined;
  const copied: { [key: string]: Json } = {};
  for (const key of Object.keys(value)) {
    const inner = plainJson((value as Record<string, unknown>)[key], depth - 1);
    if (inner === undefined || key === "__proto__") return undefined;
    copied[key] = inner;
  }
  return copied;
}

function plainList(list: readonly unknown[], depth: number): Json | undefined {
  if ("toJSON" in list) return undefined;
  const copied: Json[] = [];
  for (const item of list) {
    const inner = plainJson(item, depth - 1);
    if (inner === undefined) return undefined;
    copied.push(inner);
  }
  return copied;
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
