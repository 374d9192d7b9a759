import type { Message, Prefix, Prompt, ToolChoice, Turn } from "@agentpool/core";
import { extractive, readTurn } from "@agentpool/models";
import { type Operation, scoped } from "effection";
import type { SentBlock, SentBody } from "./sent-body.ts";

/** Answers a request as the embedded engine would: it sees what was sent, and nothing else. */
export const answerTo = (body: SentBody): Operation<Turn> =>
  scoped(function* () {
    const prefix: Prefix = {
      system: (body.system ?? []).map(({ text }) => text).join("\n"),
      tools: (body.tools ?? []).map(({ name, description = "", input_schema }) => ({
        name,
        description,
        parameters: input_schema as Prefix["tools"][number]["parameters"],
      })),
    };
    const session = yield* extractive().open(prefix);
    yield* session.append(messagesIn(body));
    const tools = prefix.tools.map(({ name }) => name);
    return (yield* readTurn(session.generate({ tools, toolChoice: choiceIn(body) }))).turn;
  });

function choiceIn({ tool_choice: choice }: SentBody): ToolChoice {
  if (choice?.type === "tool" && choice.name) return { tool: choice.name };
  return choice?.type === "none" ? "none" : "auto";
}

function messagesIn({ messages }: SentBody): Prompt {
  const tools = new Map<string, string>();
  return messages.flatMap(({ role, content }): Message[] => {
    if (role === "assistant") {
      for (const { id, name } of content) if (id && name) tools.set(id, name);
      return [{ role, content: content.flatMap(saidIn) }];
    }
    return content.map((block) => heardIn(block, tools));
  });
}

type Assistant = Extract<Message, { role: "assistant" }>["content"];

function saidIn({ type, text = "", id = "", name = "", input }: SentBlock): Assistant {
  if (type === "text") return [{ type, text }];
  return type === "tool_use" ? [{ type: "tool-call", toolCallId: id, toolName: name, input }] : [];
}

function heardIn(block: SentBlock, tools: ReadonlyMap<string, string>): Message {
  if (block.type !== "tool_result")
    return { role: "user", content: [{ type: "text", text: block.text ?? "" }] };
  const { tool_use_id: toolCallId = "", content, is_error } = block;
  const value = typeof content === "string" ? content : textOf(content);
  const output = { type: is_error ? ("error-text" as const) : ("text" as const), value };
  return {
    role: "tool",
    content: [{ type: "tool-result", toolCallId, toolName: tools.get(toolCallId) ?? "", output }],
  };
}

const textOf = (content: unknown): string =>
  Array.isArray(content) ? content.map(({ text = "" }: SentBlock) => text).join("\n") : "";
