import type { Model } from "@agentpool/core";
import type { SharedV3ProviderOptions } from "@ai-sdk/provider";
import type { CallSettings } from "./call-options.ts";
import { type AiSdkModel, checkedModel } from "./language-model.ts";
import { AiSdkSession } from "./session.ts";

export interface AiSdkOptions {
  /** The model's name on record. Default: provider and model id, for example `anthropic/claude-haiku-4-5`. */
  readonly id?: string;
  /** Tokens a session can hold. Default: not limited. */
  readonly contextWindow?: number;
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
}

/**
 * Any language model of the AI SDK as a model for pools.
 *
 * ```ts
 * import { createAnthropic } from "@ai-sdk/anthropic";
 * const model = fromAiSdk(createAnthropic()("claude-haiku-4-5"), { contextWindow: 200_000 });
 * ```
 *
 * - Takes specifications v2, v3 and later. Turns are streamed; a turn whose stream breaks off is an error, and
 *   nothing of it stays in the session.
 * - A fork costs nothing here: sessions share their messages, and the provider is sent the same prefix, part by part.
 * - 429, 503 and 529 are a `ModelLimitError` with what `Retry-After` says. A spent quota is not: waiting won't help.
 * - Call ids are unique within a session, whatever the provider sends. Arguments are passed on as text, malformed
 *   ones too.
 * - The request is aborted when its reader is halted.
 *
 * @throws ConfigurationError for what is not a language model object.
 */
export function fromAiSdk(languageModel: AiSdkModel, options: AiSdkOptions = {}): Model {
  const { model, version } = checkedModel(languageModel);
  const provider = model.provider.split(".")[0];
  const id = options.id ?? `${provider}/${model.modelId}`;
  const runtime = {
    id,
    model,
    version,
    settings: options.settings ?? {},
    keepTools: options.keepTools ?? false,
    breakpoint:
      options.cacheBreakpoint === false
        ? undefined
        : (options.cacheBreakpoint ?? breakpointOf(model.provider)),
  };
  return { id, contextWindow: options.contextWindow, open: (prefix) => AiSdkSession.open(runtime, prefix) };
}

const ephemeral: SharedV3ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

const breakpointOf = (provider: string): SharedV3ProviderOptions | undefined =>
  /\banthropic\b/.test(provider) ? ephemeral : undefined;
