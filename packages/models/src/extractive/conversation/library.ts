import type { ReadDocument } from "../rank/candidates.ts";
import { type Block, passages } from "../text/passages.ts";
import type { Reading } from "./findings.ts";

/** Lines that follow each other, of one document. */
interface Stretch {
  readonly from: number;
  readonly lines: string[];
}

const limit = 2_000;
const analysed = new Map<string, readonly Block[]>();

/** Analyses are kept by text: forks and siblings that read the same lines share them. */
function blocksOf(stretch: Stretch, under: readonly string[]): readonly Block[] {
  const key = `${stretch.from}\n${under.join("\n")}\n\n${stretch.lines.join("\n")}`;
  const found = analysed.get(key);
  if (found) return found;
  if (analysed.size >= limit) analysed.clear();
  const made = passages(stretch.lines, stretch.from, under);
  analysed.set(key, made);
  return made;
}

/** The documents that were read, each from all its readings; lines read twice count once. */
export function libraryOf(readings: readonly Reading[]): ReadDocument[] {
  const bySource = new Map<string, Reading[]>();
  for (const reading of readings) {
    const list = bySource.get(reading.source);
    if (list) list.push(reading);
    else bySource.set(reading.source, [reading]);
  }
  return [...bySource].map(([path, list]) => {
    const title = list[0]!.title;
    const blocks = stretchesOf(list).flatMap((stretch) => {
      const start = list.find((reading) => reading.from === stretch.from);
      const under = start === undefined || start.heading === "" || start.from === 1 ? [] : [start.heading];
      return blocksOf(stretch, under);
    });
    return { path, title, blocks };
  });
}

/**
 * Readings put together where they touch or overlap. A line that is blank in one is taken from another that has it: a
 * reading tool leaves lines blank that were read before.
 */
function stretchesOf(readings: readonly Reading[]): Stretch[] {
  const byNumber = new Map<number, string>();
  for (const { from, lines } of readings) {
    lines.forEach((line, at) => {
      const held = byNumber.get(from + at);
      if (held === undefined || held.trim() === "") byNumber.set(from + at, line);
    });
  }
  const stretches: Stretch[] = [];
  for (const number of [...byNumber.keys()].sort((a, b) => a - b)) {
    const open = stretches.at(-1);
    if (open !== undefined && number === open.from + open.lines.length)
      open.lines.push(byNumber.get(number)!);
    else stretches.push({ from: number, lines: [byNumber.get(number)!] });
  }
  return stretches;
}
