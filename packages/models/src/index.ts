export { Conversation, messagesAt } from "./conversation.ts";
export { readTurn } from "./read-turn.ts";
export type * from "./scripted/script.ts";
export { type ScriptedModel, type ScriptedOptions, scripted } from "./scripted/scripted.ts";
