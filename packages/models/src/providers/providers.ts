import type { JSONObject } from "@ai-sdk/provider";
import type { Provider } from "./provider.ts";

const anthropic: Provider = {
  example: "anthropic/claude-haiku-4-5",
  key: {
    variables: ["ANTHROPIC_API_KEY"],
    from: "https://console.anthropic.com/settings/keys",
    required: true,
  },
  contextWindow: 200_000,
  keepTools: true,
  options: (effort) => ({ effort }),
  async load(access) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic(access);
  },
};

const openai: Provider = {
  example: "openai/gpt-5-mini",
  key: { variables: ["OPENAI_API_KEY"], from: "https://platform.openai.com/api-keys", required: true },
  contextWindow: 128_000,
  keepTools: true,
  // Nothing is kept on their side: a conversation that is forked and rewound is sent whole each time.
  options: (reasoningEffort) => ({ store: false, reasoningEffort }),
  async load(access) {
    const { createOpenAI } = await import("@ai-sdk/openai");
    return createOpenAI(access);
  },
};

const google: Provider = {
  example: "google/gemini-2.5-flash",
  key: {
    variables: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
    from: "https://aistudio.google.com/apikey",
    required: true,
  },
  contextWindow: 1_000_000,
  keepTools: true,
  options: (effort, model) => (effort === undefined ? {} : { thinkingConfig: thinkingOf(effort, model) }),
  async load(access) {
    const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
    return createGoogleGenerativeAI(access);
  },
};

/** Models before Gemini 3 take a number of tokens for a word. */
const thinkingBudgets = new Map([
  ["minimal", 512],
  ["low", 1_024],
  ["medium", 8_192],
  ["high", 24_576],
]);

function thinkingOf(effort: string, model: string): JSONObject {
  const thinkingBudget = /gemini-[12]/.test(model) ? thinkingBudgets.get(effort) : undefined;
  return thinkingBudget === undefined ? { thinkingLevel: effort } : { thinkingBudget };
}

/** A server that speaks OpenAI's chat completions. What it makes of `toolChoice` is not known. */
function compatible(
  name: string,
  provider: Pick<Provider, "example" | "key" | "baseURL" | "needsURL">,
): Provider {
  return {
    ...provider,
    keepTools: false,
    options: (reasoningEffort) => ({ reasoningEffort }),
    async load({ baseURL = "", headers, apiKey }) {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return createOpenAICompatible({
        name,
        baseURL,
        headers,
        apiKey,
        includeUsage: true,
        supportsStructuredOutputs: true,
      });
    },
  };
}

export const providerNames = ["anthropic", "openai", "google", "ollama", "openai-compatible"] as const;
export type ProviderName = (typeof providerNames)[number];

export const isProvider = (name: string): name is ProviderName =>
  (providerNames as readonly string[]).includes(name);

/** The providers there are, by name. */
export const providers = new Map<ProviderName, Provider>([
  ["anthropic", anthropic],
  ["openai", openai],
  ["google", google],
  ["ollama", compatible("ollama", { example: "ollama/qwen3:8b", baseURL: "http://127.0.0.1:11434/v1" })],
  [
    "openai-compatible",
    compatible("openai-compatible", {
      example: "openai-compatible/the-served-model",
      key: { variables: ["OPENAI_COMPATIBLE_API_KEY"], required: false },
      needsURL: true,
    }),
  ],
]);
