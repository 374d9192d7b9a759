import type { Message, Turn } from "../values/model.ts";

/** A turn as a message of its conversation; undefined for one that says and calls nothing. */
export function messageOfTurn({ reasoning, text, calls }: Turn): Message | undefined {
  const content: Extract<Message, { role: "assistant" }>["content"] = [];
  if (reasoning) content.push({ type: "reasoning", text: reasoning });
  if (text) content.push({ type: "text", text });
  for (const { id, tool, input } of calls)
    content.push({ type: "tool-call", toolCallId: id, toolName: tool, input: readInput(input) });
  return content.length === 0 ? undefined : { role: "assistant", content };
}

/** Arguments that cannot be read stay the text they are. */
function readInput(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return String(input);
  }
}
