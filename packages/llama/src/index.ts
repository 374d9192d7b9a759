export { type LlamaModel, llama, useLlama } from "./llama.ts";
export type { LlamaSettings } from "./settings.ts";
