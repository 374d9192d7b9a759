import { ConfigurationError, type JsonSchema, type Model, type Price } from "@agentpool/core";
import type { SharedV3ProviderOptions } from "@ai-sdk/provider";
import { isStrict } from "../form/is-strict.ts";
import type { Limiter } from "../limiter/limiter.ts";
import { limiterOf } from "../limiter/limiter-of.ts";
import { addressOf } from "./address.ts";
import type { CallSettings } from "./call-options.ts";
import type { Feature } from "./lacks.ts";
import { type AiSdkModel, checkedModel } from "./language-model.ts";
import type { AiSdkRuntime } from "./runtime.ts";
import { AiSdkSession } from "./session.ts";

export interface AiSdkOptions {
  /** The model's name on record. Default: provider and model id, for example `anthropic/claude-haiku-4-5`. */
  readonly id?: string;
  /** Tokens a session can hold. Default: not limited. */
  readonly contextWindow?: number;
  /** US dollars per million tokens. Default: not known. */
  readonly price?: Price;
  /** Settings of every call: `temperature`, `maxOutputTokens`, `providerOptions`, … */
  readonly settings?: CallSettings;
  /**
   * Send every tool of the prefix also where one is forced or none may be called, so that the provider's cache still
   * hits. For providers that do as `toolChoice` says. Default false: only the tools that were asked for are sent.
   */
  readonly keepTools?: boolean;
  /**
   * Provider options that mark a message as the end of a prefix worth caching; put on the system message, on the
   * last message before a fork, and on the last of all. Default: Anthropic's where the model is theirs, else none.
   */
  readonly cacheBreakpoint?: SharedV3ProviderOptions | false;
  /**
   * What the provider has no setting for: it is said in the prompt instead. Default: what its client warns of.
   * Whatever the provider has, a turn that does not have the form asked for is asked for once more.
   */
  readonly emulate?: readonly Feature[];
  /** Milliseconds the provider may be silent, before its first word and between two. Default 180,000. */
  readonly timeoutMs?: number;
  /** Keeps requests at a pace the provider takes. Default: one for all of its models in this process. */
  readonly limiter?: Limiter;
}

/**
 * Any language model of the AI SDK as a model for pools.
 *
 * ```ts
 * import { createAnthropic } from "@ai-sdk/anthropic";
 * const model = fromAiSdk(createAnthropic()("claude-haiku-4-5"), { contextWindow: 200_000 });
 * ```
 *
 * - Takes specifications v2, v3 and later. Turns are streamed.
 * - A fork costs nothing here: sessions share their messages, and the provider is sent the same prefix, part by part.
 * - 429, 503 and 529 are a `ModelLimitError` with its reason and what `Retry-After` says, and slow down everybody who
 *   asks the same provider (see {@link Limiter}). A spent quota or a refused key is a {@link ModelError}: waiting won't help.
 * - A stream that breaks off, another 5xx, and silence for longer than `timeoutMs` are an {@link InterruptedError}.
 *   Nothing of the turn stays in the session, and a pool generates it again after a growing while.
 * - Call ids are unique within a session, whatever the provider sends. Arguments are passed on as text, malformed
 *   ones too; a null that stands for an optional argument left out is taken out.
 * - Forced calls and structured output are asked for once more where they come out otherwise; then what can be used of
 *   the turn is, or it is a {@link ModelError}.
 * - The request is aborted when its reader is halted.
 *
 * @throws ConfigurationError for what is not a language model object.
 */
export function fromAiSdk(languageModel: AiSdkModel, options: AiSdkOptions = {}): Model {
  const { model, version } = checkedModel(languageModel);
  const provider = model.provider.split(".")[0] ?? model.provider;
  const id = options.id ?? `${provider}/${model.modelId}`;
  const address = addressOf(model);
  const asked = address === undefined ? languageModel : `${provider} ${address}`;
  const runtime: AiSdkRuntime = {
    id,
    model,
    version,
    settings: options.settings ?? {},
    keepTools: options.keepTools ?? false,
    breakpoint:
      options.cacheBreakpoint === false
        ? undefined
        : (options.cacheBreakpoint ?? breakpointOf(model.provider)),
    lacks: new Set(options.emulate),
    outputOptions: model.provider.startsWith("openai.") ? strictness : undefined,
    timeoutMs: checkedTimeout(options.timeoutMs),
    limiterOn: (clock) => options.limiter ?? limiterOf(asked, provider, clock),
  };
  const { contextWindow, price } = options;
  return { id, contextWindow, price, lasting: true, open: (prefix) => AiSdkSession.open(runtime, prefix) };
}

const ephemeral: SharedV3ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

const breakpointOf = (provider: string): SharedV3ProviderOptions | undefined =>
  /\banthropic\b/.test(provider) ? ephemeral : undefined;

/** OpenAI's client sends every schema as strict, and OpenAI refuses those that are not. */
const strictness = (schema: JsonSchema): SharedV3ProviderOptions => ({
  openai: { strictJsonSchema: isStrict(schema) },
});

/** How long a provider may be silent. A model that thinks without a word, and one that is loaded first, take a while. */
export function checkedTimeout(timeoutMs = 180_000): number {
  if (typeof timeoutMs === "number" && timeoutMs > 0) return timeoutMs;
  throw new ConfigurationError(`timeoutMs: got ${timeoutMs}, and takes milliseconds above 0`);
}
