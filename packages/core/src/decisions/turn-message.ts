import type { Args } from "../values/json.ts";
import type { Message, Turn } from "../values/model.ts";

type AssistantContent = Extract<Message, { role: "assistant" }>["content"];

/**
 * A turn as the message that a conversation keeps of it; undefined for a turn that says and calls nothing. A recorded
 * turn is put back as this, so models keep the same.
 */
export function messageOfTurn(turn: Pick<Turn, "reasoning" | "text" | "calls">): Message | undefined {
  const content: AssistantContent = [];
  if (turn.reasoning) content.push({ type: "reasoning", text: turn.reasoning });
  if (turn.text) content.push({ type: "text", text: turn.text });
  for (const { id, tool, input } of turn.calls)
    content.push({ type: "tool-call", toolCallId: id, toolName: tool, input: argumentsIn(input) });
  return content.length === 0 ? undefined : { role: "assistant", content };
}

/**
 * A call's arguments as a provider takes them back: always an object. Text that is not one is kept under
 * `malformed`, so that the model sees what it wrote next to the error it reads about it.
 */
export function argumentsIn(input: string): Args {
  if (String(input).trim() === "") return {};
  try {
    const value: unknown = JSON.parse(input);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Args;
  } catch {
    // not JSON: kept as it is
  }
  return { malformed: String(input) };
}
