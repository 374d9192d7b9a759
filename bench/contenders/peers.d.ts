// As much of the peers' types as is used here: they are installed when the bench runs, and the workspace is checked
// without them. What is declared wrongly fails in the first round.
declare module "@langchain/core/language_models/chat_models" {
  import type { AIMessage, BaseMessage } from "@langchain/core/messages";
  export abstract class BaseChatModel {
    constructor(fields: object);
    abstract _llmType(): string;
    bindTools(tools: readonly unknown[]): this;
    abstract _generate(
      messages: BaseMessage[],
    ): Promise<{ generations: { text: string; message: AIMessage }[] }>;
  }
}

declare module "@langchain/core/messages" {
  export class BaseMessage {
    readonly content: unknown;
    getType(): string;
  }
  export class AIMessage extends BaseMessage {
    constructor(
      said:
        | string
        | {
            content: string;
            tool_calls: { id: string; name: string; args: object; type: "tool_call" }[];
          },
    );
  }
}

declare module "@langchain/core/tools" {
  import type { ZodType } from "zod";
  export function tool<T>(
    execute: (args: T) => Promise<string>,
    fields: { name: string; description: string; schema: ZodType<T> },
  ): { readonly name: string };
}

declare module "@langchain/langgraph/prebuilt" {
  import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
  import type { BaseMessage } from "@langchain/core/messages";
  export function createReactAgent(options: {
    llm: BaseChatModel;
    tools: { readonly name: string }[];
    prompt: string;
  }): {
    invoke(
      state: { messages: { role: "user"; content: string }[] },
      config: { recursionLimit: number },
    ): Promise<{ messages: BaseMessage[] }>;
  };
}

declare module "@openai/agents" {
  import type { ZodType } from "zod";
  export class Usage {
    constructor(usage: { requests: number; inputTokens: number; outputTokens: number; totalTokens: number });
  }
  export type OutputItem =
    | { type: "function_call"; callId: string; name: string; arguments: string; status: "completed" }
    | {
        type: "message";
        role: "assistant";
        status: "completed";
        content: { type: "output_text"; text: string }[];
      };
  export interface ModelResponse {
    usage: Usage;
    output: OutputItem[];
  }
  export interface Model {
    getResponse(request: object): Promise<ModelResponse>;
    getStreamedResponse(request: object): AsyncIterable<never>;
  }
  export function tool<T>(options: {
    name: string;
    description: string;
    parameters: ZodType<T>;
    execute: (args: T) => Promise<unknown>;
  }): { readonly name: string };
  export class Agent {
    constructor(options: {
      name: string;
      instructions: string;
      model: Model;
      tools: { readonly name: string }[];
    });
  }
  export class Runner {
    constructor(options: { tracingDisabled: boolean });
    run(agent: Agent, input: string, options: { maxTurns: number }): Promise<{ finalOutput: unknown }>;
  }
}
