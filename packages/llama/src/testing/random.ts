/** Random numbers that a seed decides: [xorshift32](https://www.jstatsoft.org/article/view/v008i14). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state >>> 0;
    return this.#state % limit;
  }
}

/**
 * Numbers of a normal distribution around 0 with deviation 1, by
 * [Box and Muller](https://doi.org/10.1214/aoms/1177706645). `count` is even.
 */
export function normals(random: Random, count: number): Float32Array {
  const values = new Float32Array(count);
  const steps = 2 ** 24;
  for (let at = 0; at < count; at += 2) {
    const radius = Math.sqrt(-2 * Math.log((random.below(steps) + 1) / steps));
    const angle = (2 * Math.PI * random.below(steps)) / steps;
    values[at] = radius * Math.cos(angle);
    values[at + 1] = radius * Math.sin(angle);
  }
  return values;
}
