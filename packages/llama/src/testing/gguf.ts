import { closeSync, openSync, writeSync } from "node:fs";
import { normals, Random } from "./random.ts";
import { bytesIn, dataOf, type Tensor, tensorTypes } from "./tensor.ts";

/** A value of GGUF's metadata, with its type. */
export type MetadataValue =
  | { readonly type: "u32" | "f32"; readonly value: number }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "strings"; readonly value: readonly string[] }
  | { readonly type: "i32s"; readonly value: readonly number[] };

export interface Gguf {
  readonly metadata: Readonly<Record<string, MetadataValue>>;
  readonly tensors: readonly Tensor[];
}

/** Tensors start at multiples of this many bytes. */
const alignment = 32;

/** Different weights of a model. */
const poolSize = 1 << 15;

/**
 * Writes a model file of [GGUF's version 3](https://github.com/ggml-org/ggml/blob/master/docs/gguf.md), tensor after
 * tensor, so that a large one need not fit into memory. The same seed gives the same bytes.
 */
export function writeGguf(path: string, { metadata, tensors }: Gguf, seed: number): void {
  const random = new Random(seed);
  const pool = normals(random, poolSize);
  const file = openSync(path, "w");
  try {
    const header = headerOf(metadata, tensors);
    writeSync(file, header);
    writeSync(file, Buffer.alloc(padding(header.length)));
    for (const tensor of tensors) {
      const data = dataOf(tensor, pool, random);
      writeSync(file, data);
      writeSync(file, Buffer.alloc(padding(data.length)));
    }
  } finally {
    closeSync(file);
  }
}

function headerOf(metadata: Gguf["metadata"], tensors: readonly Tensor[]): Buffer {
  const entries = Object.entries(metadata);
  const parts = [Buffer.from("GGUF"), u32(3), u64(tensors.length), u64(entries.length)];
  for (const [key, value] of entries) parts.push(text(key), ...metadataValue(value));
  let offset = 0;
  for (const tensor of tensors) {
    const { name, shape, type } = tensor;
    parts.push(text(name), u32(shape.length), ...shape.map(u64), u32(tensorTypes[type].id), u64(offset));
    const bytes = bytesIn(tensor);
    offset += bytes + padding(bytes);
  }
  return Buffer.concat(parts);
}

function metadataValue(entry: MetadataValue): Buffer[] {
  switch (entry.type) {
    case "u32":
      return [u32(4), u32(entry.value)];
    case "f32":
      return [u32(6), f32(entry.value)];
    case "bool":
      return [u32(7), Buffer.from([entry.value ? 1 : 0])];
    case "string":
      return [u32(8), text(entry.value)];
    case "strings":
      return [u32(9), u32(8), u64(entry.value.length), ...entry.value.map(text)];
    case "i32s":
      return [u32(9), u32(5), u64(entry.value.length), ...entry.value.map(u32)];
  }
}

const padding = (length: number): number => (alignment - (length % alignment)) % alignment;

function u32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

function u64(value: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
}

function f32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeFloatLE(value);
  return buffer;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}
