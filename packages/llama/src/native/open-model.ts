import { ConfigurationError } from "@agentpool/core";
import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import { type CheckedSettings, defaultWindow } from "../settings.ts";
import { internalsOf } from "./internals.ts";
import type { Kernel } from "./kernel.ts";
import { type Runtime, runtimeFor } from "./library.ts";
import { LlamaKernel } from "./llama-kernel.ts";
import { checkMemory } from "./memory.ts";

/** A model that is loaded: what computes, and what knows its texts. */
export interface Opened {
  readonly kernel: Kernel;
  readonly model: LlamaModel;
  readonly runtime: Runtime;
}

/**
 * Loads a model file, and makes room for its sequences.
 *
 * @throws ConfigurationError where the library is missing, the file cannot be read, or memory is too little.
 */
export async function openModel(file: string, name: string, settings: CheckedSettings): Promise<Opened> {
  const runtime = await runtimeFor(settings);
  const model = await loadModel(runtime, file, name);
  try {
    const context = await createContext(runtime, model, name, settings);
    try {
      const internals = internalsOf(runtime.llama, model, context);
      const kernel = new LlamaKernel({
        runtime,
        model,
        context,
        internals,
        sequences: settings.sequences,
        window: windowOf(model, settings),
        batch: context.batchSize,
      });
      return { kernel, model, runtime };
    } catch (error) {
      await context.dispose();
      throw error;
    }
  } catch (error) {
    await model.dispose();
    throw error;
  }
}

async function loadModel(runtime: Runtime, file: string, name: string): Promise<LlamaModel> {
  try {
    return await runtime.llama.loadModel({ modelPath: file });
  } catch (error) {
    throw failed(runtime, name, "could not be loaded", error);
  }
}

async function createContext(
  runtime: Runtime,
  model: LlamaModel,
  name: string,
  settings: CheckedSettings,
): Promise<LlamaContext> {
  const { sequences, batchSize, threads, flashAttention } = settings;
  const contextSize = windowOf(model, settings);
  const shape = {
    contextSize,
    sequences,
    batchSize: Math.max(batchSize, sequences),
    flashAttention: flashAttention && model.flashAttentionSupported,
    // Rewinding and forking need every token's state, also where the model itself looks back only a little.
    swaFullCache: true,
  };
  const { cpuRam } = await model.fileInsights.estimateContextResourceRequirementsV2({
    ...shape,
    modelGpuLayers: model.gpuLayers,
  });
  checkMemory(name, {
    what: `${sequences} sequences of ${contextSize} tokens`,
    bytes: cpuRam,
    instead: "lower contextWindow or sequences",
  });
  try {
    return await model.createContext({ ...shape, threads, failedCreationRemedy: false });
  } catch (error) {
    throw failed(runtime, name, `has no room for ${sequences} sequences of ${contextSize} tokens`, error);
  }
}

export const windowOf = (model: LlamaModel, { contextWindow }: CheckedSettings): number =>
  contextWindow ?? Math.min(model.trainContextSize, defaultWindow);

function failed({ complaints }: Runtime, name: string, what: string, error: unknown): ConfigurationError {
  const said = [(error as Error).message, ...complaints.slice(-3)].filter(Boolean).join("; ");
  return new ConfigurationError(`model: ${name} ${what}: ${said}`, { cause: error });
}
