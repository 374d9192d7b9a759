import type { Message, Prefix } from "@agentpool/core";

/**
 * Tokens of a text, estimated without a tokenizer: a quarter of its UTF-8 bytes. Close for English, and for scripts
 * of two or three bytes a letter nearer to the truth than counting letters.
 */
export const tokensOfText = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);

/** What a provider wraps around each message. */
const perMessage = 4;

/** An image or another binary file: a round number, since only the provider knows. */
const perFile = 1_000;

/** Estimated tokens of one message. */
export function tokensOfMessage(message: Message): number {
  if (message.role === "system") return perMessage + tokensOfText(message.content);
  let bytes = 0;
  let tokens = perMessage;
  for (const part of message.content) {
    switch (part.type) {
      case "text":
      case "reasoning":
        bytes += Buffer.byteLength(part.text);
        break;
      case "tool-call":
        bytes += part.toolName.length + bytesOfJson(part.input);
        break;
      case "tool-result":
        bytes += part.toolName.length + bytesOfJson(part.output);
        break;
      case "file":
        tokens += perFile;
        break;
    }
  }
  return tokens + Math.ceil(bytes / 4);
}

/** Estimated tokens of the tool schemas that stand before every message. */
export const tokensOfTools = (tools: Prefix["tools"]): number =>
  tools.length === 0 ? 0 : Math.ceil(bytesOfJson(tools) / 4);

/** About as long as `JSON.stringify(value)`, without making the string. Iterative: depth cannot overflow it. */
function bytesOfJson(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value) + 2;
  if (typeof value !== "object" || value === null) return 4;
  let bytes = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") bytes += Buffer.byteLength(next) + 3;
    else if (typeof next !== "object" || next === null) bytes += 5;
    else if (Array.isArray(next)) {
      bytes += 2;
      for (const item of next) open.push(item);
    } else {
      bytes += 2;
      for (const key in next) {
        bytes += key.length + 3;
        open.push((next as Record<string, unknown>)[key]);
      }
    }
  }
  return bytes;
}
