export type { CallSettings } from "./ai-sdk/call-options.ts";
export { type AiSdkOptions, fromAiSdk } from "./ai-sdk/from-ai-sdk.ts";
export type { AiSdkModel } from "./ai-sdk/language-model.ts";
export { Conversation, messagesAt } from "./conversation.ts";
export { type ExtractiveOptions, extractive } from "./extractive/index.ts";
export { readTurn } from "./read-turn.ts";
export type * from "./scripted/script.ts";
export { type ScriptedModel, type ScriptedOptions, scripted } from "./scripted/scripted.ts";
