import type { Clock, JsonSchema } from "@agentpool/core";
import type { SharedV3ProviderOptions } from "@ai-sdk/provider";
import type { Limiter } from "../limiter/limiter.ts";
import type { CallPolicy } from "./call-options.ts";
import type { Feature } from "./lacks.ts";
import type { CallableModel, Version } from "./language-model.ts";

/** What all sessions of a model have in common. */
export interface AiSdkRuntime extends CallPolicy {
  readonly id: string;
  readonly model: CallableModel;
  readonly version: Version;
  readonly breakpoint: SharedV3ProviderOptions | undefined;
  readonly timeoutMs: number;
  /** What the provider has no setting for, as far as is known: it says so once it is asked. */
  readonly lacks: Set<Feature>;
  readonly outputOptions: ((schema: JsonSchema) => SharedV3ProviderOptions) | undefined;
  limiterOn(clock: Clock): Limiter;
}
