import type { Delta, GenerateRequest, Mark, Prefix, Prompt, Session, Turn } from "@agentpool/core";
import type { LanguageModelV3FunctionTool, SharedV3ProviderOptions } from "@ai-sdk/provider";
import { type Operation, resource, type Stream } from "effection";
import { Conversation } from "../conversation.ts";
import { Done } from "../done.ts";
import { type CallSettings, callOptions, functionTools } from "./call-options.ts";
import { Generation } from "./generation.ts";
import type { CallableModel, CallOptions, Version } from "./language-model.ts";
import { promptFor, withBreakpoints } from "./prompt.ts";

/** What all sessions of a model have in common. */
export interface AiSdkRuntime {
  readonly id: string;
  readonly model: CallableModel;
  readonly version: Version;
  readonly settings: CallSettings;
  readonly keepTools: boolean;
  readonly breakpoint: SharedV3ProviderOptions | undefined;
}

/** Providers accept four breakpoints: the prefix, two forks, and the end. */
const forkBreakpoints = 2;

export class AiSdkSession implements Session {
  readonly #runtime: AiSdkRuntime;
  readonly #conversation: Conversation;
  readonly #tools: readonly LanguageModelV3FunctionTool[];
  /** How many messages were held at each fork that led here. */
  #forkedAt: readonly number[];
  #generation: Generation | undefined;

  constructor(
    runtime: AiSdkRuntime,
    conversation: Conversation,
    tools: readonly LanguageModelV3FunctionTool[],
    forkedAt: readonly number[],
  ) {
    this.#runtime = runtime;
    this.#conversation = conversation;
    this.#tools = tools;
    this.#forkedAt = forkedAt;
  }

  static open(runtime: AiSdkRuntime, prefix: Prefix): Operation<Session> {
    return owned(() => new AiSdkSession(runtime, Conversation.open(prefix), functionTools(prefix.tools), []));
  }

  get tokens(): number {
    return this.#conversation.tokens;
  }

  append(messages: Prompt): Operation<void> {
    this.#conversation.append(messages);
    return new Done(undefined);
  }

  fork(): Operation<Session> {
    return owned(() => {
      const conversation = this.#conversation.fork();
      return new AiSdkSession(this.#runtime, conversation, this.#tools, [
        ...this.#forkedAt,
        conversation.length,
      ]);
    });
  }

  mark(): Mark {
    return this.#conversation.mark();
  }

  rewind(to: Mark): Operation<void> {
    this.#conversation.rewind(to);
    this.#forkedAt = this.#forkedAt.filter((length) => length <= this.#conversation.length);
    return new Done(undefined);
  }

  generate(request: GenerateRequest): Stream<Delta, Turn> {
    return {
      [Symbol.iterator]: () => {
        // A session has one generation at a time: whoever left the last one unfinished is not coming back.
        this.#generation?.release();
        this.#generation = new Generation(this.#runtime, this.#conversation, (signal) =>
          this.#call(request, signal),
        );
        return new Done(this.#generation);
      },
    };
  }

  /** Ends what is still going on. */
  close(): void {
    this.#generation?.release();
  }

  #call(request: GenerateRequest, abortSignal: AbortSignal): CallOptions {
    const { version, breakpoint, settings, keepTools } = this.#runtime;
    const messages = this.#conversation.messages();
    const prompt = withBreakpoints(promptFor(version, messages), this.#breakpoints(messages), breakpoint);
    return { ...callOptions(request, this.#tools, settings, keepTools), prompt, abortSignal };
  }

  /** Where a provider's cache may be asked to keep what it read: what forks share, and all there is so far. */
  #breakpoints(messages: Prompt): readonly number[] {
    const system = messages[0]?.role === "system" ? [1] : [];
    const forks = [...new Set(this.#forkedAt)].slice(-forkBreakpoints);
    return [...system, ...forks, messages.length].map((length) => length - 1);
  }
}

/** A session that lives as long as the scope it was made in. */
const owned = (make: () => AiSdkSession): Operation<Session> =>
  resource(function* (provide) {
    const session = make();
    try {
      yield* provide(session);
    } finally {
      session.close();
    }
  });
