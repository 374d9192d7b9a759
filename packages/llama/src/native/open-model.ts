import { stat } from "node:fs/promises";
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
  if (runtime.llama.gpu === false) {
    const { size: bytes } = await stat(file);
    checkMemory(name, { what: "the model", bytes, instead: "take a smaller one, or one of fewer bits" });
  }
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
  if (contextSize > model.trainContextSize) {
    throw new ConfigurationError(
      `model: ${name}: contextWindow is ${contextSize}, and it was trained on ${model.trainContextSize} tokens; it takes ` +
        "no more than that",
    );
  }
  if (contextSize * sequences > mostCells) {
    throw new ConfigurationError(
      `model: ${name}: ${sequences} sequences of ${contextSize} tokens are more than it can address; lower ` +
        "contextWindow or sequences",
    );
  }
  const shape = {
    contextSize,
    sequences,
    batchSize: Math.max(batchSize, sequences),
    flashAttention: flashAttention && model.flashAttentionSupported,
    // Rewinding and forking need every token's state, also where the model itself looks back only a little.
    swaFullCache: true,
  };
  const asked = { ...shape, modelGpuLayers: model.gpuLayers };
  const fits = ({ cpuRam }: { readonly cpuRam: number }) =>
    checkMemory(name, {
      what: `${sequences} sequences of ${contextSize} tokens`,
      bytes: cpuRam,
      instead: "lower contextWindow or sequences",
    });
  // The exact answer takes as long to find as the context is large: what is far too large is refused before.
  fits(model.fileInsights.estimateContextResourceRequirements(asked));
  fits(await model.fileInsights.estimateContextResourceRequirementsV2(asked));
  try {
    return await model.createContext({ ...shape, threads, failedCreationRemedy: false });
  } catch (error) {
    throw failed(runtime, name, `has no room for ${sequences} sequences of ${contextSize} tokens`, error);
  }
}

/** Cells of a context are counted with 32 bits. */
const mostCells = 2 ** 31 - 1;

export const windowOf = (model: LlamaModel, { contextWindow }: CheckedSettings): number =>
  contextWindow ?? Math.min(model.trainContextSize, defaultWindow);

function failed({ complaints }: Runtime, name: string, what: string, error: unknown): ConfigurationError {
  const said = [(error as Error).message, ...complaints.slice(-3)].filter(Boolean).join("; ");
  return new ConfigurationError(`model: ${name} ${what}: ${said}`, { cause: error });
}
