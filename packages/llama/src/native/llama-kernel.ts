import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LlamaContext, LlamaGrammar, LlamaModel } from "node-llama-cpp";
import type { Internals, NativeSampler } from "./internals.ts";
import type { Constraint, Kernel, Part, Sampler } from "./kernel.ts";
import type { Runtime } from "./library.ts";

/** Everything a kernel is made of. */
export interface KernelParts {
  readonly runtime: Runtime;
  readonly model: LlamaModel;
  readonly context: LlamaContext;
  readonly internals: Internals;
  readonly sequences: number;
  readonly window: number;
  readonly batch: number;
}

/** A context of node-llama-cpp, driven batch by batch. */
export class LlamaKernel implements Kernel {
  readonly sequences: number;
  readonly window: number;
  readonly batch: number;
  readonly parts: KernelParts;
  readonly #grammars = new Map<string, LlamaGrammar>();

  constructor(parts: KernelParts) {
    this.parts = parts;
    this.sequences = parts.sequences;
    this.window = parts.window;
    this.batch = parts.batch;
  }

  async decode(parts: readonly Part[]): Promise<readonly (number | undefined)[]> {
    const { context } = this.parts.internals;
    context.initBatch(parts.reduce((all, { tokens }) => all + tokens.length, 0));
    // Only sequences that follow each other are computed together: one out of order splits the batch.
    const places = new Map<Part, number | undefined>();
    for (const part of [...parts].sort((a, b) => a.sequence - b.sequence)) {
      const { sequence, from, tokens, sample } = part;
      const sampled = Uint32Array.from(sample ? [tokens.length - 1] : []);
      places.set(part, context.addToBatch(sequence, from, Uint32Array.from(tokens), sampled)[0]);
    }
    await context.decodeBatch();
    return parts.map((part) => places.get(part));
  }

  async sample(place: number, sampler: Sampler): Promise<number> {
    const token = await this.parts.internals.context.sampleToken(place, (sampler as LlamaSampler).native);
    if (token < 0) throw new Error("no token fits the grammar");
    return token;
  }

  async copy(from: number, to: number): Promise<void> {
    const { context } = this.parts.internals;
    if (context.copySequenceStateFromOtherSequence) {
      await context.copySequenceStateFromOtherSequence(to, from);
      return;
    }
    // Versions of the library without a copy can write a sequence to a file and read it into another.
    const file = join(tmpdir(), `agentpool-llama-${randomUUID()}.state`);
    try {
      await context.saveSequenceStateToFile(file, from, new Uint32Array());
      await context.loadSequenceStateFromFile(file, to, this.window);
    } finally {
      await rm(file, { force: true });
    }
  }

  cut(sequence: number, length: number): boolean {
    const { context } = this.parts.internals;
    if (length > 0 && context.removeTokenCellsFromSequence(sequence, length, -1)) return true;
    context.disposeSequence(sequence);
    return length === 0;
  }

  sampler(temperature: number): Sampler {
    return new LlamaSampler(this.parts, this.#grammars, temperature);
  }

  async close(): Promise<void> {
    await this.parts.context.dispose();
    await this.parts.model.dispose();
  }
}

/** Grammars that are kept compiled. */
const mostGrammars = 64;

class LlamaSampler implements Sampler {
  readonly native: NativeSampler;
  readonly #parts: KernelParts;
  readonly #grammars: Map<string, LlamaGrammar>;
  readonly #temperature: number;

  constructor(parts: KernelParts, grammars: Map<string, LlamaGrammar>, temperature: number) {
    this.#parts = parts;
    this.#temperature = temperature;
    this.#grammars = grammars;
    this.native = parts.internals.newSampler();
  }

  constrain({ grammar, goOn }: Constraint, seed: number): void {
    const { runtime, model, internals } = this.#parts;
    const { LlamaGrammarEvaluationState } = runtime.library;
    const state =
      grammar === undefined
        ? undefined
        : internals.stateOf(new LlamaGrammarEvaluationState({ model, grammar: this.#compiled(grammar) }));
    const ends = goOn ? endsOf(model) : [];
    this.native.applyConfig({
      temperature: this.#temperature,
      topK: 40,
      topP: 0.95,
      minP: 0.05,
      seed,
      ...(state === undefined ? {} : { grammarEvaluationState: state }),
      ...(ends.length === 0
        ? {}
        : { tokenBiasKeys: Uint32Array.from(ends), tokenBiasValues: Float32Array.from(ends, () => -1e9) }),
    });
  }

  free(): void {
    this.native.dispose();
  }

  #compiled(text: string): LlamaGrammar {
    const { library, llama } = this.#parts.runtime;
    const grammar = this.#grammars.get(text) ?? new library.LlamaGrammar(llama, { grammar: text });
    this.#grammars.delete(text);
    this.#grammars.set(text, grammar);
    if (this.#grammars.size > mostGrammars) this.#grammars.delete(this.#grammars.keys().next().value!);
    return grammar;
  }
}

/** The tokens that end a turn. */
const endsOf = ({ tokens }: LlamaModel): number[] =>
  [...new Set([tokens.eos, tokens.eot])].filter((token) => token !== null);
