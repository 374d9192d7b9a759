import assert from "node:assert/strict";
import type { Kernel, Part } from "../src/native/kernel.ts";

export interface WatchedKernel extends Kernel {
  /** What was computed, batch by batch. */
  readonly batches: readonly (readonly Part[])[];
  readonly copies: readonly { readonly from: number; readonly to: number }[];
  /** What each sequence holds. */
  readonly held: readonly (readonly number[])[];
  readonly closed: boolean;
  /** Samplers that were not freed. */
  readonly samplers: number;
  /** Called when a batch begins. */
  onBatch: () => void;
}

/** Passes everything on, and fails where the native side would be touched twice at once, or a sequence had gaps. */
export function watched(kernel: Kernel): WatchedKernel {
  const held: number[][] = Array.from({ length: kernel.sequences }, () => []);
  let busy: string | undefined;
  function alone(what: string): void {
    assert.equal(busy, undefined, `${what} during ${busy}`);
    assert.equal(watching.closed, false, `${what} after it was closed`);
  }
  async function during<T>(what: string, work: () => Promise<T>): Promise<T> {
    alone(what);
    busy = what;
    try {
      return await work();
    } finally {
      busy = undefined;
    }
  }
  let samples = 0;
  const watching = {
    sequences: kernel.sequences,
    window: kernel.window,
    batch: kernel.batch,
    batches: [] as Part[][],
    copies: [] as { from: number; to: number }[],
    held,
    closed: false,
    samplers: 0,
    onBatch: () => {},
    decode: (parts: readonly Part[]) =>
      during("decode", async () => {
        watching.onBatch();
        for (const { sequence, from, tokens } of parts) {
          assert.equal(from, held[sequence]!.length, "a sequence goes on where it ended");
          held[sequence]!.push(...tokens);
          assert.ok(held[sequence]!.length <= kernel.window, "a sequence is not longer than its window");
        }
        assert.ok(parts.reduce((all, { tokens }) => all + tokens.length, 0) <= kernel.batch);
        assert.equal(new Set(parts.map(({ sequence }) => sequence)).size, parts.length);
        watching.batches.push([...parts]);
        return kernel.decode(parts);
      }),
    async sample(place: number, sampler: Parameters<Kernel["sample"]>[1]) {
      assert.ok(busy === undefined || busy === "sample", `sample during ${busy}`);
      busy = "sample";
      samples++;
      try {
        return await kernel.sample(place, sampler);
      } finally {
        if (--samples === 0) busy = undefined;
      }
    },
    copy: (from: number, to: number) =>
      during("copy", async () => {
        watching.copies.push({ from, to });
        held[to] = [...held[from]!];
        await kernel.copy(from, to);
      }),
    cut(sequence: number, length: number) {
      alone("cut");
      const cut = kernel.cut(sequence, length);
      held[sequence]!.length = cut ? length : 0;
      return cut;
    },
    sampler(temperature: number) {
      watching.samplers++;
      const sampler = kernel.sampler(temperature);
      const free = sampler.free.bind(sampler);
      return Object.assign(sampler, {
        free() {
          assert.notEqual(busy, "sample", "a sampler is freed while it may be in use");
          watching.samplers--;
          free();
        },
      });
    },
    async close() {
      alone("close");
      watching.closed = true;
      await kernel.close();
    },
  };
  return watching;
}
