import type { JSONObject } from "@ai-sdk/provider";
import type { Feature } from "../ai-sdk/lacks.ts";
import type { AiSdkModel } from "../ai-sdk/language-model.ts";

/** How a provider is reached, as the configuration says. Keys are not here: they come from the environment. */
export interface ProviderAccess {
  readonly baseURL?: string;
  /** Sent with every request. */
  readonly headers?: { readonly [name: string]: string };
  /** What the server has no setting for, or ignores: it is said in the prompt instead. */
  readonly emulate?: readonly Feature[];
}

/** A provider of models, named `name/model` in configuration. */
export interface Provider {
  /** An example of a model's name, for messages. */
  readonly example: string;
  /** Where its key is looked for, in order, and where a person gets one. */
  readonly key?: {
    readonly variables: readonly string[];
    readonly from?: string;
    readonly required: boolean;
  };
  /** Where it is reached when the configuration does not say. Absent, with `needsURL`: the configuration must. */
  readonly baseURL?: string;
  readonly needsURL?: boolean;
  /** Tokens its current models hold at least. */
  readonly contextWindow?: number;
  /** It does as `toolChoice` says, so that tools need not be taken away to be left alone. */
  readonly keepTools: boolean;
  /** Options of its own that every call is sent with; `reasoning` is an effort such as `low` or `high`. */
  options(reasoning: string | undefined, model: string): JSONObject;
  /** Loads its client, which makes models by their names. */
  load(access: ProviderAccess & { readonly apiKey?: string }): Promise<(model: string) => AiSdkModel>;
}
