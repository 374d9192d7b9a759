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

function stretchesOf(readings: readonly Reading[]): Stretch[] {
  const ordered = [...readings].sort((a, b) => a.from - b.from || b.lines.length - a.lines.length);
  const stretches: Stretch[] = [];
  for (const { from, lines } of ordered) {
    const open = stretches.at(-1);
    const next = open === undefined ? 0 : open.from + open.lines.length;
    if (open === undefined || from > next) stretches.push({ from, lines: [...lines] });
    else open.lines.push(...lines.slice(Math.max(0, next - from)));
  }
  return stretches;
}
