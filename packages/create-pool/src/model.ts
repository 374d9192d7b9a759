import { UsageError } from "./errors.ts";

/** A provider that a project's model can come from. */
interface Provider {
  readonly example: string;
  readonly hint: string;
  /** The variable of the environment that holds its key. */
  readonly key?: string;
  /** The server that has to be named in harness.yml. */
  readonly baseURL?: string;
}

export const providers: Readonly<Record<string, Provider>> = {
  anthropic: { example: "anthropic/claude-haiku-4-5", hint: "needs a key", key: "ANTHROPIC_API_KEY" },
  openai: { example: "openai/gpt-5-mini", hint: "needs a key", key: "OPENAI_API_KEY" },
  google: { example: "google/gemini-2.5-flash", hint: "needs a key", key: "GEMINI_API_KEY" },
  ollama: { example: "ollama/qwen3:8b", hint: "needs a local Ollama" },
  "openai-compatible": {
    example: "openai-compatible/the-served-model",
    hint: "any server that speaks OpenAI's chat completions",
    baseURL: "http://127.0.0.1:8080/v1",
  },
};

export const DEFAULT_MODEL = "extractive";

const providerOf = (model: string): Provider | undefined => {
  const name = model.slice(0, Math.max(0, model.indexOf("/")));
  return Object.hasOwn(providers, name) ? providers[name] : undefined;
};

/** Why a text is no model's name; undefined where it is one. */
export function whyNoModel(model: string): string | undefined {
  if (model === DEFAULT_MODEL) return undefined;
  const accepted = [DEFAULT_MODEL, ...Object.values(providers).map(({ example }) => example)].join(", ");
  if (!providerOf(model))
    return `"${model}" names no provider that is known; accepted are, for example, ${accepted}`;
  if (!/^[a-z-]+\/[\w./:@+-]*\w$/.test(model))
    return `"${model}" names no model; a model's name has letters, digits and . / : @ + -, for example ${providerOf(model)?.example}`;
  return undefined;
}

export function checkedModel(model: string): string {
  const why = whyNoModel(model);
  if (why !== undefined) throw new UsageError(`--model: ${why}.`);
  return model;
}

/** A template's harness.yml with the model in its line. Templates start on the default: that changes nothing. */
export function withModel(harness: string, model: string): string {
  if (model === DEFAULT_MODEL) return harness;
  const { key, baseURL } = providerOf(model) ?? {};
  const line = `model: ${model}${key === undefined ? "" : ` # its key: ${key}, in the environment`}`;
  const server =
    baseURL === undefined
      ? ""
      : `\nproviders: { openai-compatible: { baseURL: ${baseURL} } } # where your server is`;
  return harness.replace(/^model: .*$/m, () => line + server);
}

/** What has to be there before a project with this model can run; undefined: nothing. */
export function needsOf(model: string): string | undefined {
  const { key, baseURL } = providerOf(model) ?? {};
  if (key !== undefined) return `${model} needs its key in the environment: ${key}`;
  if (baseURL !== undefined) return `${model} needs the address of its server: providers in harness.yml`;
  return model === DEFAULT_MODEL ? undefined : `${model} needs a local Ollama that has it`;
}
