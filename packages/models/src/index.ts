export type { CallSettings } from "./ai-sdk/call-options.ts";
export { type AiSdkOptions, fromAiSdk } from "./ai-sdk/from-ai-sdk.ts";
export type { Feature } from "./ai-sdk/lacks.ts";
export type { AiSdkModel } from "./ai-sdk/language-model.ts";
export { Conversation, messagesAt } from "./conversation.ts";
export {
  type ExtractiveOptions,
  type ExtractiveWeights,
  extractive,
  extractiveFeatures,
  extractiveWeights,
  type JudgedSentence,
} from "./extractive/index.ts";
export { type FailureKind, failureKind, InterruptedError, ModelError } from "./failure/model-failure.ts";
export type { FallbackEvent } from "./fallback/chain.ts";
export { type FallbackOptions, fallback } from "./fallback/fallback.ts";
export { HeldBackError, Limiter, type LimiterOptions } from "./limiter/limiter.ts";
export type { Pace } from "./limiter/pace.ts";
export { ggufFile } from "./providers/gguf-file.ts";
export type { LocalSettings } from "./providers/local-model.ts";
export type { ProviderAccess } from "./providers/provider.ts";
export { type ModelSettings, type ProvidersConfig, resolveModel } from "./providers/resolve-model.ts";
export { PullError } from "./pull/pull-error.ts";
export type { PulledFile } from "./pull/pull-file.ts";
export { type PulledModel, type PullOptions, pullModel } from "./pull/pull-model.ts";
export { readTurn } from "./read-turn.ts";
export { describeRoutes } from "./routes/describe-routes.ts";
export type { Effort } from "./routes/pattern.ts";
export { type Probed, probe } from "./routes/probe.ts";
export { RouteError } from "./routes/route-error.ts";
export {
  knownRoutes,
  type Route,
  type RouteSettings,
  type Routes,
  type RoutesConfig,
  type RoutesOptions,
  type RouteTarget,
  routes,
} from "./routes/routes.ts";
export type * from "./scripted/script.ts";
export { type ScriptedModel, type ScriptedOptions, scripted } from "./scripted/scripted.ts";
