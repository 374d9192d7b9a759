import type { Kernel, Part, Sampler } from "../native/kernel.ts";

/** A kernel without a model: it keeps tokens, and the next token after some is their sum. */
export class MemoryKernel implements Kernel {
  readonly sequences: number;
  readonly window = 1_000;
  readonly batch = 16;
  readonly held: number[][];
  readonly batches: Part[][] = [];
  /** Set to make batches wait: the next is computed when it resolves. */
  gate: Promise<void> | undefined;
  /** Set to make the next batch fail. */
  failure: Error | undefined;
  closed = false;
  #busy = false;

  constructor(sequences: number) {
    this.sequences = sequences;
    this.held = Array.from({ length: sequences }, () => []);
  }

  async decode(parts: readonly Part[]): Promise<readonly (number | undefined)[]> {
    return this.#alone(async () => {
      await this.gate;
      this.batches.push([...parts]);
      const { failure } = this;
      this.failure = undefined;
      if (failure !== undefined) throw failure;
      return parts.map(({ sequence, from, tokens, sample }) => {
        if (from !== this.held[sequence]!.length) throw new Error("a gap");
        this.held[sequence]!.push(...tokens);
        return sample ? sequence : undefined;
      });
    });
  }

  async sample(place: number): Promise<number> {
    return this.held[place]!.reduce((sum, token) => sum + token, 0);
  }

  copy(from: number, to: number): Promise<void> {
    return this.#alone(async () => {
      this.held[to] = [...this.held[from]!];
    });
  }

  cut(sequence: number, length: number): boolean {
    if (this.#busy) throw new Error("touched twice at once");
    this.held[sequence]!.length = length;
    return true;
  }

  sampler(): Sampler {
    return { constrain() {}, free() {} };
  }

  async close(): Promise<void> {
    if (this.#busy) throw new Error("freed while in use");
    this.closed = true;
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#busy || this.closed) throw new Error("touched twice at once");
    this.#busy = true;
    try {
      return await work();
    } finally {
      this.#busy = false;
    }
  }
}
