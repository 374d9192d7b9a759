import type { Message, Prompt } from "@agentpool/core";
import type { LanguageModelV3ToolResultOutput, SharedV3ProviderOptions } from "@ai-sdk/provider";
import type { Version } from "./language-model.ts";

type ContentItem = Extract<LanguageModelV3ToolResultOutput, { type: "content" }>["value"][number];
type ToolContent = Extract<Message, { role: "tool" }>["content"];

/**
 * Messages as a version of the specification wants them. A message that needs no change stays the very same object,
 * and one that does is changed once, so that forks keep sending the same prefix.
 */
export function promptFor(version: Version, messages: Prompt): Prompt {
  return version === "v3" ? messages : messages.map((message) => converted(version, message));
}

const memos = { v2: new WeakMap<Message, Message>(), v4: new WeakMap<Message, Message>() };

function converted(version: "v2" | "v4", message: Message): Message {
  if (message.role === "system") return message;
  const memo = memos[version];
  let known = memo.get(message);
  if (known === undefined) {
    known = version === "v2" ? toV2(message) : toV4(message);
    memo.set(message, known);
  }
  return known;
}

/** Version 2 knows fewer kinds of tool results. */
function toV2(message: Message): Message {
  if (message.role !== "tool") return message;
  const content = message.content.flatMap((part): unknown[] => {
    if (part.type !== "tool-result") return [];
    const { output } = part;
    if (output.type === "execution-denied") {
      return [{ ...part, output: { type: "error-text", value: output.reason ?? "The call was denied." } }];
    }
    if (output.type !== "content") return [part];
    return [{ ...part, output: { type: "content", value: output.value.map(itemForV2) } }];
  });
  return { ...message, content: content as ToolContent };
}

function itemForV2(item: ContentItem): unknown {
  if (item.type === "text") return item;
  return "data" in item
    ? { type: "media", data: item.data, mediaType: item.mediaType }
    : { type: "text", text: JSON.stringify(item) };
}

/** Version 4 says of each file where it is. */
function toV4(message: Message): Message {
  if (message.role === "system") return message;
  if (message.role === "tool") {
    const content = message.content.map((part) =>
      part.type === "tool-result" && part.output.type === "content"
        ? { ...part, output: { ...part.output, value: part.output.value.map(itemForV4) } }
        : part,
    );
    return { ...message, content: content as ToolContent };
  }
  if (message.content.every(({ type }) => type !== "file")) return message;
  const content = (message.content as { type: string; data?: unknown }[]).map((part) =>
    part.type === "file" ? { ...part, data: fileForV4(part.data) } : part,
  );
  return { ...message, content } as Message;
}

function itemForV4(item: ContentItem): unknown {
  if (item.type === "text" || item.type === "custom") return item;
  if ("data" in item)
    return { type: "file", data: { type: "data", data: item.data }, mediaType: item.mediaType };
  if ("url" in item) return { type: "file", data: { type: "url", url: new URL(item.url) }, mediaType: "*/*" };
  return { type: "text", text: JSON.stringify(item) };
}

const fileForV4 = (data: unknown): unknown =>
  data instanceof URL ? { type: "url", url: data } : { type: "data", data };

/**
 * Marks messages as ends of a cacheable prefix, by their places. A message that is marked is copied once, so that all
 * forks that share it send the same bytes.
 */
export function withBreakpoints(
  messages: Prompt,
  places: readonly number[],
  breakpoint: SharedV3ProviderOptions | undefined,
): Prompt {
  if (breakpoint === undefined) return messages;
  const marked = messages.slice();
  for (const place of places) {
    const message = messages[place];
    if (message !== undefined) marked[place] = markedMessage(message, breakpoint);
  }
  return marked;
}

const markedMessages = new WeakMap<SharedV3ProviderOptions, WeakMap<Message, Message>>();

function markedMessage(message: Message, breakpoint: SharedV3ProviderOptions): Message {
  let memo = markedMessages.get(breakpoint);
  if (memo === undefined) {
    memo = new WeakMap();
    markedMessages.set(breakpoint, memo);
  }
  let marked = memo.get(message);
  if (marked === undefined) {
    const providerOptions = { ...message.providerOptions };
    for (const [provider, options] of Object.entries(breakpoint)) {
      providerOptions[provider] = { ...providerOptions[provider], ...options };
    }
    marked = { ...message, providerOptions };
    memo.set(message, marked);
  }
  return marked;
}
