import { ConfigurationError, type Model, nearest, type Price } from "@agentpool/core";
import { checkedTimeout, fromAiSdk } from "../ai-sdk/from-ai-sdk.ts";
import type { Feature } from "../ai-sdk/lacks.ts";
import { extractive } from "../extractive/index.ts";
import { lazyModel } from "./lazy-model.ts";
import { isLocal, type LocalSettings, localModel } from "./local-model.ts";
import { MissingKeyError } from "./missing-key.ts";
import type { Provider, ProviderAccess } from "./provider.ts";
import { isProvider, type ProviderName, providers } from "./providers.ts";

/** How each provider is reached. */
export type ProvidersConfig = { readonly [provider in ProviderName]?: ProviderAccess } & {
  /** The settings of `llama()` in `@agentpool/llama`: `sequences`, `threads`, `gpu`, … */
  readonly llama?: LocalSettings;
};

export interface ModelSettings {
  /** How hard to think, in the provider's words: `low`, `high`, … */
  readonly reasoning?: string;
  readonly temperature?: number;
  /** Most tokens of one generation. */
  readonly maxTokens?: number;
  /** Tokens a session can hold. Default: what the provider's current models hold at least, where that is known. */
  readonly contextWindow?: number;
  /** Milliseconds the provider may be silent, before its first word and between two. Default 180,000. */
  readonly timeoutMs?: number;
  /** US dollars per million tokens. Default: not known, and a budget in dollars cannot be kept. */
  readonly price?: Price;
  /** What the provider has no setting for, or ignores: it is said in the prompt instead. Default: as its access says. */
  readonly emulate?: readonly Feature[];
  /** How providers are reached, by their names; for `llama`, how its models run. */
  readonly providers?: ProvidersConfig;
  /** Where paths of `llama:` start. Default: the process' folder. */
  readonly cwd?: string;
  /** Where keys are looked for. Default: the process' environment. */
  readonly env?: { readonly [variable: string]: string | undefined };
}

/**
 * The model that a name in configuration stands for. A provider's client is loaded when the first session opens.
 *
 * | name | what runs | needs |
 * | --- | --- | --- |
 * | `extractive` | the embedded engine | nothing |
 * | `anthropic/…` | Anthropic's models | `ANTHROPIC_API_KEY` |
 * | `openai/…` | OpenAI's models | `OPENAI_API_KEY` |
 * | `google/…` | Google's models | `GOOGLE_GENERATIVE_AI_API_KEY` or `GEMINI_API_KEY` |
 * | `ollama/…` | a local Ollama | its server, by default at 127.0.0.1:11434 |
 * | `llama:path.gguf` | a model file, in this process | the package `@agentpool/llama` |
 * | `openai-compatible/…` | any server that speaks OpenAI's chat completions | `baseURL`; a key in `OPENAI_COMPATIBLE_API_KEY` if it wants one |
 *
 * ```ts
 * const model = resolveModel("anthropic/claude-haiku-4-5", { reasoning: "low" });
 * ```
 *
 * @throws ConfigurationError for a name it does not know, a key that is missing and a `baseURL` that is.
 */
export function resolveModel(name: string, settings: ModelSettings = {}): Model {
  if (name === "extractive") return extractive();
  if (name === "scripted") {
    throw new ConfigurationError(
      'model: "scripted" is for tests and takes its turns from code: scripted(({ key, task }) => [ … ]) from ' +
        "@agentpool/models",
    );
  }
  if (isLocal(name)) return localModel(name, settings);
  const slash = name.indexOf("/");
  const provider = slash < 0 ? undefined : name.slice(0, slash);
  if (provider === undefined || !isProvider(provider)) throw new ConfigurationError(unknown(name));
  return provided(provider, name.slice(slash + 1), settings);
}

function provided(name: ProviderName, model: string, settings: ModelSettings): Model {
  const provider = providers.get(name)!;
  if (model.trim() === "") {
    throw new ConfigurationError(`model: "${name}/" names no model; for example ${provider.example}`);
  }
  const id = `${name}/${model}`;
  const { emulate = [], ...reached } = accessOf(provider, name, settings);
  const access = { ...reached, apiKey: keyOf(provider, id, settings.env ?? process.env) };
  const contextWindow = settings.contextWindow ?? provider.contextWindow;
  const { price } = settings;
  const timeoutMs = checkedTimeout(settings.timeoutMs);
  return lazyModel({ id, contextWindow, price }, async () => {
    const client = await provider.load(access);
    return fromAiSdk(client(model), {
      id,
      contextWindow,
      price,
      timeoutMs,
      emulate: settings.emulate ?? emulate,
      keepTools: provider.keepTools,
      settings: {
        temperature: settings.temperature,
        maxOutputTokens: settings.maxTokens,
        providerOptions: { [name]: provider.options(settings.reasoning, model) },
      },
    });
  });
}

function accessOf(provider: Provider, name: ProviderName, settings: ModelSettings): ProviderAccess {
  const { baseURL = provider.baseURL, headers, emulate } = settings.providers?.[name] ?? {};
  if (baseURL === undefined && provider.needsURL) {
    throw new ConfigurationError(
      `providers.${name}.baseURL: missing; takes the address of the server, for example http://127.0.0.1:8080/v1`,
    );
  }
  if (baseURL !== undefined && !/^https?:$/.test(protocolOf(baseURL))) {
    throw new ConfigurationError(
      `providers.${name}.baseURL: got ${JSON.stringify(baseURL)}, and takes an http or https URL`,
    );
  }
  return { baseURL, headers, emulate };
}

function protocolOf(url: string): string {
  try {
    return new URL(url).protocol;
  } catch {
    return "";
  }
}

function keyOf({ key }: Provider, id: string, env: NonNullable<ModelSettings["env"]>): string | undefined {
  const found = key?.variables.map((variable) => env[variable]?.trim()).find((value) => value);
  if (key === undefined || found !== undefined || !key.required) return found;
  throw new MissingKeyError(
    `model: ${id} needs a key, and ${key.variables.join(" or ")} is not set in the environment; get one at ` +
      `${key.from}, or use the model "extractive", which needs none`,
  );
}

/** Whose models begin so, for names without a provider. */
const families: readonly (readonly [RegExp, string])[] = [
  [/^claude/i, "anthropic"],
  [/^(gpt|chatgpt|o\d)/i, "openai"],
  [/^gemini/i, "google"],
  [/^(llama|qwen|mistral|gemma|phi|deepseek)/i, "ollama"],
];

function unknown(name: string): string {
  const meant = suggestion(name);
  const accepted = [
    "extractive",
    ...[...providers.values()].map(({ example }) => example),
    "llama:models/a-model.gguf",
  ].join(", ");
  return `model: ${JSON.stringify(name)} is not known${meant ? `; did you mean "${meant}"?` : "."} Accepted are, for example, ${accepted}`;
}

function suggestion(name: string): string | undefined {
  if (/\.gguf$/i.test(name)) return `llama:${name.replace(/^[\w-]*:/, "")}`;
  const slash = name.indexOf("/");
  if (slash >= 0) {
    const near = nearest(name.slice(0, slash), providers.keys());
    return near && `${near}${name.slice(slash)}`;
  }
  const family = families.find(([begins]) => begins.test(name))?.[1];
  return family === undefined ? nearest(name, ["extractive"]) : `${family}/${name}`;
}
