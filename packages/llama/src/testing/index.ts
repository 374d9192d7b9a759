export type { TensorType } from "./tensor.ts";
export { type ModelShape, type NoiseModelOptions, shapes, writeNoiseModel } from "./write-noise-model.ts";
