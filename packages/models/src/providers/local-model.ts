import { ConfigurationError, type Model } from "@agentpool/core";
import { ggufFile } from "./gguf-file.ts";
import { lazyModel } from "./lazy-model.ts";
import type { ModelSettings } from "./resolve-model.ts";

/** How `@agentpool/llama` runs models: the settings of its `llama()`, which checks them. */
export interface LocalSettings {
  readonly [setting: string]: unknown;
}

/** What of `@agentpool/llama` is used. */
export interface LocalLibrary {
  llama(path: string, settings: LocalSettings): Model;
}

const marker = "llama:";

export const isLocal = (name: string): boolean => name.startsWith(marker);

/** Nothing is paid for what runs here. */
const free = { input: 0, output: 0 };

/**
 * A model file that runs in this process. The package that runs it is loaded when the first session opens.
 *
 * @throws ConfigurationError for a file that is missing or no GGUF, and a setting that such models do not have; from
 * `open` where the package is missing, and for what it finds wrong.
 */
export function localModel(
  name: string,
  settings: ModelSettings,
  load: () => Promise<LocalLibrary> = () => import("@agentpool/llama"),
): Model {
  for (const setting of ["reasoning", "timeoutMs", "emulate"] as const) {
    if (settings[setting] === undefined) continue;
    throw new ConfigurationError(
      `model: ${name}: has no setting ${setting}; a model in this process takes temperature, maxTokens, contextWindow ` +
        "and price, and what providers.llama sets for all of them",
    );
  }
  const { cwd, contextWindow, temperature, maxTokens, price = free } = settings;
  const path = name.slice(marker.length);
  ggufFile(path, cwd);
  const own = { ...settings.providers?.llama, ...given({ cwd, contextWindow, temperature, maxTokens }) };
  return lazyModel({ id: name, contextWindow, price }, async () => {
    const { llama } = await loaded(name, load);
    return llama(path, own);
  });
}

/** Without what is undefined, so that it does not hide what is set for all models. */
const given = (settings: LocalSettings): LocalSettings =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));

async function loaded(name: string, load: () => Promise<LocalLibrary>): Promise<LocalLibrary> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ERR_MODULE_NOT_FOUND" && /find (package|module) '@agentpool\/llama/.test(message)) {
      throw new ConfigurationError(
        `model: ${name} runs in this process through the package @agentpool/llama, which is not installed; install it ` +
          "with `npm install @agentpool/llama`, or serve the file and name the model ollama/… or openai-compatible/…",
        { cause: error },
      );
    }
    throw error;
  }
}
