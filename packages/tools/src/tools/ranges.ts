import type { Lines } from "../corpus/corpus.ts";

/** What of a range is not in any of the others: the gaps, in order. Empty: all of it is. */
export function unread(range: Lines, read: readonly Lines[]): Lines[] {
  const [from, to] = range;
  const gaps: Lines[] = [];
  let next = from;
  for (const [start, end] of [...read].sort((a, b) => a[0] - b[0])) {
    if (start > to) break;
    if (start > next) gaps.push([next, start - 1]);
    next = Math.max(next, end + 1);
  }
  if (next <= to) gaps.push([next, to]);
  return gaps;
}

/** What lies between the first and the last of the gaps: the parts that were read. */
export function between(gaps: readonly Lines[]): Lines[] {
  return gaps.slice(1).map(([start], index): Lines => [gaps[index]![1] + 1, start - 1]);
}

/** `line 4`, `lines 4–9`, `lines 1–3 and 8–9` */
export function said(ranges: readonly Lines[]): string {
  const parts = ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
  const plural = ranges.length > 1 || ranges.some(([from, to]) => from !== to);
  const last = parts.pop();
  return `${plural ? "lines" : "line"} ${parts.length ? `${parts.join(", ")} and ${last}` : last}`;
}
