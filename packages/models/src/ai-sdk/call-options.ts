import type { GenerateRequest, JsonSchema, Prefix, ToolChoice } from "@agentpool/core";
import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import type { Feature } from "./lacks.ts";
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
    inputSchema: parametersFor(parameters) as LanguageModelV3FunctionTool["inputSchema"],
  }));

/** An object without `properties` is refused by some, and which draft it is written in is read by nobody. */
function parametersFor({ $schema: _, ...schema }: JsonSchema): JsonSchema {
  return schema.type === "object" && schema.properties === undefined ? { ...schema, properties: {} } : schema;
}

/** What a model's calls have in common. */
export interface CallPolicy {
  readonly settings: CallSettings;
  readonly keepTools: boolean;
  readonly lacks: ReadonlySet<Feature>;
  readonly outputOptions: ((schema: JsonSchema) => SharedV3ProviderOptions) | undefined;
}

type Options = Omit<CallOptions, "prompt" | "abortSignal">;

/** Everything of a call that depends on what was asked for, the prompt and the signal aside. */
export function callOptions(
  request: GenerateRequest,
  tools: readonly LanguageModelV3FunctionTool[],
  policy: CallPolicy,
): Options {
  const { toolChoice = "auto", output, maxTokens } = request;
  const { settings, lacks } = policy;
  const sent = toolsToSend(request.tools, toolChoice, tools, policy);
  const options: Options = { ...settings };
  if (sent.length > 0) {
    options.tools = [...sent];
    options.toolChoice = lacks.has("toolChoice") ? { type: "auto" } : toolChoiceFor(toolChoice);
  }
  if (output !== undefined && !lacks.has("structuredOutput")) {
    options.responseFormat = { type: "json", schema: output as LanguageModelV3FunctionTool["inputSchema"] };
    options.providerOptions = merged(settings.providerOptions, policy.outputOptions?.(output));
  }
  const limits = [maxTokens, settings.maxOutputTokens].filter((limit) => limit !== undefined);
  if (limits.length > 0) options.maxOutputTokens = Math.min(...limits);
  return options;
}

function toolsToSend(
  asked: readonly string[],
  toolChoice: ToolChoice,
  tools: readonly LanguageModelV3FunctionTool[],
  { keepTools, lacks }: CallPolicy,
): readonly LanguageModelV3FunctionTool[] {
  const forced = typeof toolChoice === "object" ? toolChoice.tool : undefined;
  const isNarrow = forced !== undefined || toolChoice === "none";
  if (isNarrow && lacks.has("toolChoice")) return tools.filter(({ name }) => name === forced);
  if (isNarrow && keepTools) return tools;
  return tools.filter(({ name }) => name === forced || asked.includes(name));
}

function toolChoiceFor(toolChoice: ToolChoice): LanguageModelV3CallOptions["toolChoice"] {
  return typeof toolChoice === "object" ? { type: "tool", toolName: toolChoice.tool } : { type: toolChoice };
}

function merged(
  options: SharedV3ProviderOptions | undefined,
  more: SharedV3ProviderOptions | undefined,
): SharedV3ProviderOptions | undefined {
  if (more === undefined) return options;
  const all = { ...options };
  for (const [provider, own] of Object.entries(more)) all[provider] = { ...all[provider], ...own };
  return all;
}
