/** Lines that follow each other. `from` is the number of the first, counted from 1. */
export interface Stretch {
  readonly from: number;
  readonly lines: readonly string[];
}

/**
 * Pieces of one document put together: where they touch or overlap they become one, and a line that is blank in one
 * piece is taken from another that has it (a reading tool leaves lines blank that were read before).
 */
export function joinLines(pieces: readonly Stretch[]): Stretch[] {
  const byNumber = new Map<number, string>();
  for (const { from, lines } of pieces) {
    lines.forEach((line, at) => {
      const held = byNumber.get(from + at);
      if (held === undefined || held.trim() === "") byNumber.set(from + at, line);
    });
  }
  const stretches: { from: number; lines: string[] }[] = [];
  for (const number of [...byNumber.keys()].sort((a, b) => a - b)) {
    const open = stretches.at(-1);
    if (open !== undefined && number === open.from + open.lines.length)
      open.lines.push(byNumber.get(number)!);
    else stretches.push({ from: number, lines: [byNumber.get(number)!] });
  }
  return stretches;
}
