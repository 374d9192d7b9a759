import type { Args, Message, Prompt } from "@agentpool/core";
import type { ChatHistoryItem, ChatModelFunctionCall, ChatModelResponse } from "node-llama-cpp";

/**
 * A conversation as chat templates take it: one system text, then the user and the model in turns. Results of calls
 * stand with their calls; what two messages of one kind say in a row is one message. It ends with the model's turn,
 * which may still be empty.
 */
export function historyOf(messages: Prompt): ChatHistoryItem[] {
  const history: ChatHistoryItem[] = [];
  const calls = new Map<string, ChatModelFunctionCall>();
  for (const [index, message] of messages.entries()) {
    switch (message.role) {
      case "system":
        if (index === 0) history.push({ type: "system", text: message.content });
        else say(history, message.content);
        break;
      case "user":
        say(history, textOf(message));
        break;
      case "assistant":
        respond(history, message, calls);
        break;
      case "tool":
        for (const part of message.content) {
          if (part.type !== "tool-result") continue;
          const call = calls.get(part.toolCallId);
          if (call) call.result = resultOf(part.output);
          else say(history, `${part.toolName}: ${JSON.stringify(resultOf(part.output))}`);
        }
    }
  }
  if (history.at(-1)?.type !== "model") history.push({ type: "model", response: [] });
  return history;
}

function say(history: ChatHistoryItem[], text: string): void {
  const last = history.at(-1);
  if (last?.type === "user") history[history.length - 1] = { type: "user", text: `${last.text}\n\n${text}` };
  else history.push({ type: "user", text });
}

function respond(
  history: ChatHistoryItem[],
  { content }: Extract<Message, { role: "assistant" }>,
  calls: Map<string, ChatModelFunctionCall>,
): void {
  const response: ChatModelResponse["response"] = [];
  for (const part of content) {
    if (part.type === "reasoning")
      response.push({ type: "segment", segmentType: "thought", text: part.text, ended: true });
    else if (part.type === "text") response.push(part.text);
    else if (part.type === "tool-call") {
      const call: ChatModelFunctionCall = {
        type: "functionCall",
        name: part.toolName,
        params: part.input as Args,
        result: "",
        startsNewChunk: !response.some((each) => typeof each === "object" && each.type === "functionCall"),
      };
      calls.set(part.toolCallId, call);
      response.push(call);
    }
  }
  const last = history.at(-1);
  if (last?.type === "model") last.response.push(...response);
  else history.push({ type: "model", response });
}

function textOf({ content }: Extract<Message, { role: "user" }>): string {
  return content.map((part) => (part.type === "text" ? part.text : `[a file: ${part.mediaType}]`)).join("\n");
}

type Output = Extract<
  Extract<Message, { role: "tool" }>["content"][number],
  { type: "tool-result" }
>["output"];

/** What a tool gave, as the model reads it: text as text, anything else as JSON, and of a failure that it is one. */
function resultOf(output: Output): unknown {
  switch (output.type) {
    case "text":
    case "json":
      return output.value;
    case "error-text":
    case "error-json":
      return { error: output.value };
    case "execution-denied":
      return { error: output.reason ?? "the call was not allowed" };
    case "content":
      return output.value.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
  }
}
