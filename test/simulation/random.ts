/** A stream of numbers in [0, 1) from a seed: [mulberry32](https://gist.github.com/tommyettinger/46a874533244883189143505d203312c). */
export function random(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One number in [0, 1) that depends on the seed and the words alone. */
export function chance(seed: number, ...words: (string | number)[]): number {
  let hash = Math.imul(seed, 2_654_435_761);
  for (const char of words.join(" ")) hash = Math.imul(hash ^ char.charCodeAt(0), 16_777_619);
  return random(hash)();
}
