import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Model } from "@agentpool/core";
import { ensure, type Operation, resource, until } from "effection";
import { afterAll } from "vitest";
import { type Loaded, load } from "../src/loaded.ts";
import { openModel } from "../src/native/open-model.ts";
import { openSession } from "../src/session.ts";
import { checkedSettings, type LlamaSettings } from "../src/settings.ts";
import { type NoiseModelOptions, writeNoiseModel } from "../src/testing/index.ts";
import { type WatchedKernel, watched } from "./watched.ts";

const folder = mkdtempSync(join(tmpdir(), "agentpool-llama-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A path in a folder that is gone after the tests. */
export const temporary = (name: string): string => join(folder, name);

let models = 0;

/** A model with random weights; its path. */
export function noiseModel(options: NoiseModelOptions = {}): string {
  const path = temporary(`noise-${models++}.gguf`);
  writeNoiseModel(path, options);
  return path;
}

/** One thread: the models are tiny, and waiting for another thread takes longer than the work. */
export const small: LlamaSettings = {
  threads: 1,
  gpu: false,
  contextWindow: 2_048,
  sequences: 4,
  maxTokens: 256,
};

export interface WatchedModel extends Model {
  readonly loaded: Loaded;
  readonly kernel: WatchedKernel;
}

/**
 * A loaded model whose native side is watched: no two things at once, and every sequence without gaps. It lives as long
 * as its scope.
 */
export const useWatched = (path: string, settings: LlamaSettings = {}): Operation<WatchedModel> =>
  resource(function* (provide) {
    const model = yield* until(loadWatched(path, settings));
    yield* ensure(() => until(model.loaded.engine.close()));
    yield* provide(model);
  });

/** The same, loaded once for all tests of a file. */
export function sharedModel(path: string, settings: LlamaSettings = {}): () => Operation<WatchedModel> {
  let loading: Promise<WatchedModel> | undefined;
  afterAll(async () => (await loading)?.loaded.engine.close());
  return () => {
    loading ??= loadWatched(path, settings);
    return until(loading);
  };
}

async function loadWatched(path: string, settings: LlamaSettings): Promise<WatchedModel> {
  let kernel: WatchedKernel | undefined;
  const checked = checkedSettings({ ...small, ...settings });
  const loaded = await load(path, "llama:noise", checked, async (...given) => {
    const opened = await openModel(...given);
    kernel = watched(opened.kernel);
    return { ...opened, kernel };
  });
  return {
    id: loaded.name,
    contextWindow: loaded.engine.window,
    loaded,
    kernel: kernel!,
    open: (prefix) => openSession(loaded, prefix),
  };
}
