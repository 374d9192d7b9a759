/** How much of the work that waits goes into the next batch. */
export interface Share<W> {
  readonly work: W;
  /** Tokens, from the first that is left. */
  readonly count: number;
}

/**
 * Divides a batch among the work that waits. Whoever needs few tokens comes first: those are agents in the middle of a
 * sentence. Long texts get what is left, in the order they came; and while others speak, only a part of that, so that
 * nobody's next word waits for a whole batch of somebody else's reading.
 */
export function planBatch<W extends { readonly left: number }>(
  waiting: readonly W[],
  size: number,
): Share<W>[] {
  const few = Math.max(1, Math.floor(size / Math.max(8, waiting.length)));
  const short = waiting.filter(({ left }) => left <= few);
  const long = waiting.filter(({ left }) => left > few);
  const shares: Share<W>[] = [];
  let room = size;
  for (const work of short) {
    if (work.left > room) break;
    shares.push({ work, count: work.left });
    room -= work.left;
  }
  if (short.length > 0) room = Math.min(room, Math.ceil(size / 4));
  for (const work of long) {
    if (room === 0) break;
    const count = Math.min(work.left, room);
    shares.push({ work, count });
    room -= count;
  }
  return shares;
}
