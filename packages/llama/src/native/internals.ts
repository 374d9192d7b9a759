import { ConfigurationError } from "@agentpool/core";
import type { Llama, LlamaContext, LlamaGrammarEvaluationState, LlamaModel } from "node-llama-cpp";

/** What of the library's native addon is used directly: batches of many sequences, and copies between them. */
export interface NativeContext {
  initBatch(size: number): void;
  addToBatch(sequence: number, from: number, tokens: Uint32Array, sampled: Uint32Array): Uint32Array;
  decodeBatch(): Promise<void>;
  sampleToken(place: number, sampler: NativeSampler): Promise<number>;
  disposeSequence(sequence: number): void;
  removeTokenCellsFromSequence(sequence: number, from: number, to: number): boolean;
  copySequenceStateFromOtherSequence?(to: number, from: number): Promise<number>;
  saveSequenceStateToFile(path: string, sequence: number, tokens: Uint32Array): Promise<number>;
  loadSequenceStateFromFile(path: string, sequence: number, most: number): Promise<Uint32Array>;
}

export interface NativeSampler {
  applyConfig(config: { readonly [setting: string]: unknown }): void;
  dispose(): void;
}

export interface Internals {
  readonly context: NativeContext;
  newSampler(): NativeSampler;
  stateOf(state: LlamaGrammarEvaluationState): unknown;
}

const needed = [
  "initBatch",
  "addToBatch",
  "decodeBatch",
  "sampleToken",
  "disposeSequence",
  "removeTokenCellsFromSequence",
] as const;

/**
 * The addon behind a context. None of it is the library's public interface, so all of it is checked for.
 *
 * @throws ConfigurationError where this version of the library has it otherwise.
 */
export function internalsOf(llama: Llama, model: LlamaModel, context: LlamaContext): Internals {
  const inner = {
    context: inside(context, "_ctx"),
    model: inside(model, "_model"),
    bindings: inside(llama, "_bindings"),
  };
  const missing: string[] = needed.filter((name) => typeof inside(inner.context, name) !== "function");
  const Sampler = inside(inner.bindings, "AddonSampler");
  if (typeof Sampler !== "function") missing.push("AddonSampler");
  if (inner.model === undefined) missing.push("the model");
  if (missing.length > 0) {
    throw new ConfigurationError(
      `model: llama:… needs parts of node-llama-cpp that this version does not have (${missing.join(", ")}); ` +
        "install node-llama-cpp 3.22.1",
    );
  }
  const NewSampler = Sampler as new (model: unknown) => NativeSampler;
  return {
    context: inner.context as NativeContext,
    newSampler: () => new NewSampler(inner.model),
    stateOf: (state) => inside(state, "_state"),
  };
}

const inside = (object: unknown, name: string): unknown =>
  typeof object === "object" && object !== null ? (object as Record<string, unknown>)[name] : undefined;
