import type { Model, Prefix, Session } from "@agentpool/core";
import { ggufFile } from "@agentpool/models";
import { ensure, type Operation, resource, until } from "effection";
import { type Claim, Files } from "./files.ts";
import { openSession } from "./session.ts";
import { checkedSettings, defaultWindow, type LlamaSettings } from "./settings.ts";

/** A model that runs in this process. */
export interface LlamaModel extends Model {
  readonly contextWindow: number;
  /**
   * Frees the model's memory, once nothing of it is under way and no other model uses the same file in the same way. It
   * is loaded again when the next session opens; sessions that are open fail.
   */
  close(): Operation<void>;
}

const files = new Files();

/**
 * A model from a GGUF file, run in this process by [llama.cpp](https://github.com/ggml-org/llama.cpp) through
 * [node-llama-cpp](https://node-llama-cpp.withcat.ai). It is loaded when its first session opens, and stays in memory
 * until it is closed; {@link useLlama} closes it with a scope.
 *
 * ```ts
 * const model = llama("models/smollm2-360m-instruct-q8_0.gguf", { contextWindow: 4_096 });
 * await runPool({ model, tools, terminal: reportTool, orchestrate: parallel(questions) });
 * ```
 *
 * - Each session has a sequence of the engine for itself, from when it is made until its scope ends. Sessions beyond
 *   `sequences` wait for one.
 * - A fork copies state in the engine; what forks have in common is computed once.
 * - All sessions that write at the same time write in the same batches.
 * - Calls and structured output follow a grammar made from their schema, and are held against the schema.
 * - Models of one file that differ only in `temperature`, `maxTokens`, `seed` and `calls` share it in memory.
 *
 * @throws ConfigurationError at once for a file that is missing or no GGUF, and for settings it does not take; from
 * `open` where node-llama-cpp is missing, the file cannot be loaded, or memory is too little.
 */
export function llama(path: string, settings: LlamaSettings = {}): LlamaModel {
  const id = `llama:${path}`;
  const { cwd, ...rest } = settings;
  const checked = checkedSettings(rest);
  const file = ggufFile(path, cwd);
  let claiming: Promise<Claim> | undefined;
  let claim: Claim | undefined;

  function* ready(): Operation<Claim> {
    claiming ??= files.claim(file, id, checked);
    const mine = claiming;
    try {
      claim = yield* until(mine);
      return claim;
    } catch (error) {
      if (claiming === mine) claiming = undefined;
      throw error;
    }
  }

  return {
    id,
    get contextWindow() {
      return claim?.loaded.engine.window ?? checked.contextWindow ?? defaultWindow;
    },
    *open(prefix: Prefix): Operation<Session> {
      const { loaded } = yield* ready();
      return yield* openSession(loaded, prefix);
    },
    *close() {
      const closing = claiming;
      claiming = undefined;
      claim = undefined;
      // One that is still being loaded is closed when it is.
      if (closing !== undefined)
        yield* until(
          closing.then(
            ({ release }) => release(),
            () => {},
          ),
        );
    },
  };
}

/** {@link llama} for as long as a scope lives: its memory is free when the scope has ended. */
export const useLlama = (path: string, settings: LlamaSettings = {}): Operation<LlamaModel> =>
  resource(function* (provide) {
    const model = llama(path, settings);
    yield* ensure(() => model.close());
    yield* provide(model);
  });
