import type { Delta, GenerateRequest, Mark, Prefix, Prompt, Session, Turn } from "@agentpool/core";
import type { LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import { type Operation, resource, type Stream } from "effection";
import { Conversation } from "../conversation.ts";
import { Done } from "../done.ts";
import { type Demand, demandOf } from "../form/demand.ts";
import { withoutNulls } from "../form/without-nulls.ts";
import { demandInWords } from "../form/words.ts";
import { callOptions, functionTools } from "./call-options.ts";
import { Exchange } from "./exchange.ts";
import { Generation, type Source } from "./generation.ts";
import type { CallOptions } from "./language-model.ts";
import { promptFor, withBreakpoints } from "./prompt.ts";
import type { AiSdkRuntime } from "./runtime.ts";

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
        this.#generation = new Generation(this.#source(request));
        return new Done(this.#generation);
      },
    };
  }

  /** Ends what is still going on. */
  close(): void {
    this.#generation?.release();
  }

  #source(request: GenerateRequest): Source {
    const runtime = this.#runtime;
    const conversation = this.#conversation;
    const { tools } = conversation.prefix;
    const demand = demandOf(request, tools);
    return {
      model: runtime.id,
      demand,
      callIds: () => callIdsIn(conversation.messages()),
      get tokens() {
        return conversation.tokens;
      },
      exchange: (more) =>
        new Exchange(runtime, (signal) => this.#call(request, this.#instructed(demand, more), signal)),
      lacks: (features) => {
        for (const feature of features) runtime.lacks.add(feature);
      },
      clean: (call) => {
        const schema = tools.find(({ name }) => name === call.tool)?.parameters;
        return schema === undefined ? call : { ...call, input: cleaned(call.input, schema) };
      },
      keep: (message, counted) => {
        if (counted !== undefined) conversation.counted(counted);
        if (message !== undefined) conversation.append([message]);
      },
    };
  }

  #call(request: GenerateRequest, more: Prompt, abortSignal: AbortSignal): CallOptions {
    const { version, breakpoint } = this.#runtime;
    const held = this.#conversation.messages();
    const messages = more.length === 0 ? held : [...held, ...more];
    const prompt = withBreakpoints(promptFor(version, messages), this.#breakpoints(held), breakpoint);
    return { ...callOptions(request, this.#tools, this.#runtime), prompt, abortSignal };
  }

  /** What the provider has no setting for is said at the very end, where it changes no prefix. */
  #instructed(demand: Demand | undefined, more: Prompt): Prompt {
    if (demand === undefined || more.length > 0) return more;
    const { lacks } = this.#runtime;
    const needsWords =
      demand.type === "output" || (demand.type === "noTool" && demand.output !== undefined)
        ? lacks.has("structuredOutput")
        : lacks.has("toolChoice");
    return needsWords ? [{ role: "user", content: [{ type: "text", text: demandInWords(demand) }] }] : more;
  }

  /** Where a provider's cache may be asked to keep what it read: what forks share, and all there is so far. */
  #breakpoints(messages: Prompt): readonly number[] {
    const system = messages[0]?.role === "system" ? [1] : [];
    const forks = [...new Set(this.#forkedAt)].slice(-forkBreakpoints);
    return [...system, ...forks, messages.length].map((length) => length - 1);
  }
}

/** Arguments without nulls that stand for nothing; the very same text where there are none. */
function cleaned(input: string, schema: Parameters<typeof withoutNulls>[1]): string {
  if (!input.includes("null")) return input;
  try {
    const value: unknown = JSON.parse(input);
    const clean = withoutNulls(value, schema);
    return clean === value ? input : JSON.stringify(clean);
  } catch {
    return input;
  }
}

function callIdsIn(messages: Prompt): Set<string> {
  const ids = new Set<string>();
  for (const { role, content } of messages) {
    if (role !== "assistant") continue;
    for (const part of content) if (part.type === "tool-call") ids.add(part.toolCallId);
  }
  return ids;
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
