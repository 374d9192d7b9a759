import { ConfigurationError } from "@agentpool/core";
import type { LanguageModelV2, LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider";

/**
 * A language model object of the AI SDK: specification v2 or v3, or anything later that is still called this way
 * (v4 is).
 */
export type AiSdkModel =
  | LanguageModelV2
  | LanguageModelV3
  | {
      readonly specificationVersion: string;
      readonly provider: string;
      readonly modelId: string;
      doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
    };

/** What differs between the versions, as far as it is used here. */
export type Version = "v2" | "v3" | "v4";

/** A model as it is called: the options are v3's, converted where another version wants something else. */
export interface CallableModel {
  readonly provider: string;
  readonly modelId: string;
  doStream(options: CallOptions): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

export type CallOptions = LanguageModelV3CallOptions & {
  /** Version 4's, for all providers alike. */
  readonly reasoning?: string;
};

/** Refuses what is not a language model object, saying what it is instead. */
export function checkedModel(model: unknown): { readonly model: CallableModel; readonly version: Version } {
  if (typeof model === "string") {
    throw new ConfigurationError(
      `fromAiSdk: got the string ${JSON.stringify(model)}, and takes a language model object, for example ` +
        'anthropic("claude-haiku-4-5"); for a name use resolveModel',
    );
  }
  if (!isCallable(model)) {
    throw new ConfigurationError(
      `fromAiSdk: got ${described(model)}, and takes a language model object of the AI SDK, which has ` +
        "specificationVersion, provider, modelId and doStream",
    );
  }
  return { model, version: versionOf(model.specificationVersion) };
}

function isCallable(model: unknown): model is CallableModel & { readonly specificationVersion: string } {
  if (typeof model !== "object" || model === null) return false;
  const { specificationVersion, provider, modelId, doStream } = model as { [key: string]: unknown };
  const names = [specificationVersion, provider, modelId];
  return names.every((name) => typeof name === "string") && typeof doStream === "function";
}

function versionOf(specification: string): Version {
  if (specification === "v2" || specification === "v3") return specification;
  if (/^v([4-9]|[1-9]\d+)$/.test(specification)) return "v4";
  throw new ConfigurationError(
    `fromAiSdk: the model is of specification ${JSON.stringify(specification)}; accepted are v2, v3 and later`,
  );
}

function described(value: unknown): string {
  if (value === null || typeof value !== "object")
    return typeof value === "function" ? "a function" : `${value}`;
  return `an object with the keys ${Object.keys(value).slice(0, 8).join(", ") || "(none)"}`;
}
