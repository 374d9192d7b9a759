import type { Random } from "./random.ts";

/** How numbers are stored: [GGUF's names](https://github.com/ggml-org/ggml/blob/master/docs/gguf.md). */
export type TensorType = "f32" | "f16" | "q8_0" | "q4_0";

/** Of each type: its number in GGUF, how many values a block holds, and how many bytes a block takes. */
export const tensorTypes: Readonly<
  Record<TensorType, { readonly id: number; readonly block: number; readonly bytes: number }>
> = {
  f32: { id: 0, block: 1, bytes: 4 },
  f16: { id: 1, block: 1, bytes: 2 },
  q4_0: { id: 2, block: 32, bytes: 18 },
  q8_0: { id: 8, block: 32, bytes: 34 },
};

/** A tensor of a model: its place in the model, its shape, and where its values come from. */
export interface Tensor {
  readonly name: string;
  /** The fastest-changing dimension first. */
  readonly shape: readonly number[];
  readonly type: TensorType;
  /** Normal around 0 with this deviation; `ones`: all values are 1, stored as `f32`. */
  readonly values: { readonly deviation: number } | "ones";
  /** What replaces the first value of each row. Only for `f32`. */
  readonly first?: (row: number) => number;
}

export function bytesIn({ shape, type }: Tensor): number {
  const { block, bytes } = tensorTypes[type];
  return (shape.reduce((all, length) => all * length, 1) / block) * bytes;
}

/** Values of a pool that are copied to a tensor in one piece. */
const piece = 256;

/**
 * The tensor's data as the file holds it: pieces from all over a pool of normals with deviation 1. Drawing every
 * weight of a large model by itself would take most of the time.
 */
export function dataOf(tensor: Tensor, pool: Float32Array, random: Random): Uint8Array {
  const data = new Uint8Array(bytesIn(tensor));
  const floats = new Float32Array(data.buffer);
  if (tensor.values === "ones") {
    floats.fill(1);
    return data;
  }
  const { block, bytes } = tensorTypes[tensor.type];
  const { deviation } = tensor.values;
  const encoded = encode[tensor.type](pool.map((value) => value * deviation));
  const pieceBytes = (piece / block) * bytes;
  const starts = (encoded.length - pieceBytes) / bytes;
  for (let at = 0; at < data.length; at += pieceBytes) {
    const start = random.below(starts) * bytes;
    data.set(encoded.subarray(start, start + Math.min(pieceBytes, data.length - at)), at);
  }
  if (tensor.first !== undefined) {
    const width = tensor.shape[0]!;
    for (let row = 0; row * width < floats.length; row++) floats[row * width] = tensor.first(row);
  }
  return data;
}

const encode: Readonly<Record<TensorType, (values: Float32Array) => Uint8Array>> = {
  f32: (values) => new Uint8Array(values.buffer),
  f16: (values) => new Uint8Array(Uint16Array.from(values, toHalf).buffer),
  q8_0: (values) => blocks(values, 127, (whole) => whole.map((value) => value & 255)),
  // A byte holds a value of the block's first half and one of its second.
  q4_0: (values) =>
    blocks(values, 7, (whole) =>
      whole.slice(0, 16).map((value, at) => (value + 8) | ((whole[at + 16]! + 8) << 4)),
    ),
};

/** Blocks of 32: a step in half precision, and the whole numbers of steps, at most `most` up or down. */
function blocks(values: Float32Array, most: number, pack: (whole: number[]) => number[]): Uint8Array {
  const data: number[] = [];
  for (let at = 0; at < values.length; at += 32) {
    const block = Array.from(values.subarray(at, at + 32));
    const step = Math.max(...block.map(Math.abs)) / most || 1;
    const half = toHalf(step);
    data.push(half & 255, half >>> 8, ...pack(block.map((value) => Math.round(value / step))));
  }
  return Uint8Array.from(data);
}

const single = new Float32Array(1);
const bits = new Uint32Array(single.buffer);

/** The bits of a number in [half precision](https://en.wikipedia.org/wiki/Half-precision_floating-point_format). */
export function toHalf(value: number): number {
  single[0] = value;
  const found = bits[0]!;
  const sign = (found >>> 16) & 0x8000;
  const exponent = ((found >>> 23) & 255) - 112;
  const mantissa = found & 0x7fffff;
  if (exponent >= 31) return sign | 0x7c00;
  if (exponent > 0) return (sign | (exponent << 10) | (mantissa >>> 13)) + ((mantissa >>> 12) & 1);
  if (exponent < -10) return sign;
  const shift = 14 - exponent;
  return sign | (((mantissa | 0x800000) + (1 << (shift - 1))) >>> shift);
}
