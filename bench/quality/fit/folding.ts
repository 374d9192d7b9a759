import { randomOf } from "../random.ts";

/** Articles in two halves: by alternate names, or by chance. */
export function folding(articles: readonly string[], seed?: number): readonly [string[], string[]] {
  const order = [...new Set(articles)].sort();
  if (seed !== undefined) {
    const random = randomOf(seed);
    for (let at = order.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1));
      [order[at], order[other]] = [order[other]!, order[at]!];
    }
  }
  return [order.filter((_, at) => at % 2 === 0), order.filter((_, at) => at % 2 === 1)];
}
