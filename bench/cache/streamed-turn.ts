import type { Turn } from "@agentpool/core";

/** A turn as Anthropic streams it. */
export function streamedTurn({ text, calls, usage }: Turn): string {
  const events: string[] = [];
  const event = (type: string, more: object) =>
    events.push(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  const counts = { input_tokens: usage.input, output_tokens: usage.output };
  event("message_start", {
    message: {
      id: "msg",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      usage: counts,
    },
  });
  let index = 0;
  const block = (content_block: object, delta: object) => {
    event("content_block_start", { index, content_block });
    event("content_block_delta", { index, delta });
    event("content_block_stop", { index: index++ });
  };
  if (text) block({ type: "text", text: "" }, { type: "text_delta", text });
  for (const { id, tool, input } of calls) {
    block({ type: "tool_use", id, name: tool, input: {} }, { type: "input_json_delta", partial_json: input });
  }
  const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
  event("message_delta", {
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: usage.output },
  });
  event("message_stop", {});
  return events.join("");
}
