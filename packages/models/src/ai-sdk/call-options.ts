import type { GenerateRequest, Prefix, ToolChoice } from "@agentpool/core";
import type { LanguageModelV3CallOptions, LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import type { CallOptions } from "./language-model.ts";

/** Settings of every call of a model; the names are the AI SDK's. */
export type CallSettings = Pick<
  LanguageModelV3CallOptions,
  | "temperature"
  | "topP"
  | "topK"
  | "presencePenalty"
  | "frequencyPenalty"
  | "stopSequences"
  | "seed"
  | "maxOutputTokens"
  | "headers"
  | "providerOptions"
> & {
  /** How hard to think; models of specification v4 take it, others by `providerOptions`. */
  readonly reasoning?: string;
};

/** The prefix' tools as providers take them. Made once for all sessions that share the prefix. */
export const functionTools = (tools: Prefix["tools"]): readonly LanguageModelV3FunctionTool[] =>
  tools.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    inputSchema: parameters as LanguageModelV3FunctionTool["inputSchema"],
  }));

/** Everything of a call that depends on what was asked for, the prompt and the signal aside. */
export function callOptions(
  request: GenerateRequest,
  tools: readonly LanguageModelV3FunctionTool[],
  settings: CallSettings,
  keepTools: boolean,
): Omit<CallOptions, "prompt" | "abortSignal"> {
  const { toolChoice = "auto", output, maxTokens } = request;
  const sent = toolsToSend(request.tools, toolChoice, tools, keepTools);
  const options: Omit<CallOptions, "prompt" | "abortSignal"> = { ...settings };
  if (sent.length > 0) {
    options.tools = [...sent];
    options.toolChoice = toolChoiceFor(toolChoice);
  }
  if (output !== undefined) {
    options.responseFormat = { type: "json", schema: output as LanguageModelV3FunctionTool["inputSchema"] };
  }
  const limits = [maxTokens, settings.maxOutputTokens].filter((limit) => limit !== undefined);
  if (limits.length > 0) options.maxOutputTokens = Math.min(...limits);
  return options;
}

function toolsToSend(
  asked: readonly string[],
  toolChoice: ToolChoice,
  tools: readonly LanguageModelV3FunctionTool[],
  keepTools: boolean,
): readonly LanguageModelV3FunctionTool[] {
  const forced = typeof toolChoice === "object" ? toolChoice.tool : undefined;
  if (keepTools && (forced !== undefined || toolChoice === "none")) return tools;
  return tools.filter(({ name }) => name === forced || asked.includes(name));
}

function toolChoiceFor(toolChoice: ToolChoice): LanguageModelV3CallOptions["toolChoice"] {
  return typeof toolChoice === "object" ? { type: "tool", toolName: toolChoice.tool } : { type: toolChoice };
}
