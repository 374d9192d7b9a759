/** Tokens one or more generations used. `cached` is the part of `input` that a prefix cache served. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

export const noUsage: Usage = { input: 0, output: 0, cached: 0 };

export const addUsage = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cached: a.cached + b.cached,
});
