import { expect, it } from "vitest";
import type { Part } from "./kernel.ts";
import { type KernelParts, LlamaKernel } from "./llama-kernel.ts";

it("adds sequences to a batch in their order, however they come: the native side computes those together", async () => {
  const added: number[] = [];
  let decoded = 0;
  const context = {
    initBatch() {},
    addToBatch(sequence: number, _: number, tokens: Uint32Array, sampled: Uint32Array) {
      added.push(sequence);
      return sampled.map(() => sequence * 100 + tokens.length);
    },
    async decodeBatch() {
      decoded++;
    },
  };
  const kernel = new LlamaKernel({ internals: { context } } as unknown as KernelParts);
  const part = (sequence: number, tokens: number[], sample = true): Part => ({
    sequence,
    from: 0,
    tokens,
    sample,
  });
  const places = await kernel.decode([
    part(3, [1]),
    part(1, [1, 2]),
    part(2, [1], false),
    part(0, [1, 2, 3]),
  ]);
  expect(added).toEqual([0, 1, 2, 3]);
  expect(places).toEqual([301, 102, undefined, 3]);
  expect(decoded).toBe(1);
});
