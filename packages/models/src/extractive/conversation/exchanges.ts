import type { Args, Prompt } from "@agentpool/core";

/** A call of the conversation and what came of it. */
export interface Exchange {
  readonly id: string;
  readonly tool: string;
  readonly args: Args;
  readonly outcome: ExchangeOutcome;
}

export type ExchangeOutcome =
  /** The tool's result. */
  | { readonly type: "value"; readonly value: unknown }
  /** It failed, or was refused: what was said about it. */
  | { readonly type: "error"; readonly message: string }
  /** No result yet. */
  | { readonly type: "open" };

/** The calls of a conversation in order, each with its result. */
export function exchangesOf(messages: Prompt): Exchange[] {
  const outcomes = new Map<string, ExchangeOutcome>();
  for (const message of messages) {
    if (message.role !== "tool") continue;
    for (const part of message.content) {
      if (part.type === "tool-result") outcomes.set(part.toolCallId, outcomeOf(part.output));
    }
  }
  const exchanges: Exchange[] = [];
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const part of message.content) {
      if (part.type !== "tool-call") continue;
      exchanges.push({
        id: part.toolCallId,
        tool: part.toolName,
        args: isRecord(part.input) ? part.input : {},
        outcome: outcomes.get(part.toolCallId) ?? { type: "open" },
      });
    }
  }
  return exchanges;
}

type ToolMessage = Extract<Prompt[number], { role: "tool" }>;
type Output = Extract<ToolMessage["content"][number], { type: "tool-result" }>["output"];

function outcomeOf(output: Output): ExchangeOutcome {
  switch (output.type) {
    case "text":
      return { type: "value", value: parsed(output.value) };
    case "json":
      return { type: "value", value: output.value };
    case "error-text":
      return { type: "error", message: output.value };
    case "error-json":
      return { type: "error", message: JSON.stringify(output.value) };
    case "execution-denied":
      return { type: "error", message: output.reason ?? "denied" };
    case "content":
      return {
        type: "value",
        value: parsed(output.value.map((part) => (part.type === "text" ? part.text : "")).join("\n")),
      };
  }
}

/** Results that came as text of JSON are read as JSON. */
function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
