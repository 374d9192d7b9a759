import type { DocumentKind, Heading, Lines } from "./corpus.ts";

/** A piece of a document that is found by itself: one or a few paragraphs under one heading. */
export interface Passage {
  readonly lines: Lines;
  /** The nearest heading above; empty where there is none. */
  readonly heading: string;
  /** That heading and those it stands under, the highest first. */
  readonly trail: readonly string[];
}

/** Paragraphs shorter than this are taken together with what follows under the same heading. */
const shortest = 300;
/** No passage grows beyond this, except a single line that is longer. */
const longest = 1_800;

/** Whether a heading is the text of its line, or a name for what begins there: a page, a declaration. */
export type HeadingStyle = "line" | "label";

export const headingStyleOf = (kind: DocumentKind): HeadingStyle =>
  kind === "pdf" || kind === "code" ? "label" : "line";

/**
 * Cuts a document into passages: at headings, then at empty lines. Short paragraphs (list items, a sentence that
 * introduces a block of code) stay with what follows them; long ones are cut at a line's end.
 */
export function passagesOf(
  lines: readonly string[],
  headings: readonly Heading[],
  style: HeadingStyle = "line",
): Passage[] {
  const passages: Passage[] = [];
  const trail: Heading[] = [];
  const sections = [
    { line: 0, heading: undefined as Heading | undefined },
    ...headings.map((heading) => ({ line: heading.line, heading })),
  ];
  for (const [index, { line, heading }] of sections.entries()) {
    if (heading) {
      while (trail.length && trail.at(-1)!.level >= heading.level) trail.pop();
      trail.push(heading);
    }
    const end = (sections[index + 1]?.line ?? lines.length + 1) - 1;
    const names = trail.map(({ text }) => text);
    for (const range of blocksOf(lines, style === "label" ? Math.max(1, line) : line + 1, end))
      passages.push({ lines: range, heading: heading?.text ?? "", trail: names });
  }
  // A document of nothing but headings is found by them.
  if (passages.length === 0 && headings.length > 0)
    passages.push({
      lines: [headings[0]!.line, headings.at(-1)!.line],
      heading: headings[0]!.text,
      trail: headings.map(({ text }) => text),
    });
  return passages;
}

/** Ranges of lines that hold something, within `from` to `to`. */
function blocksOf(lines: readonly string[], from: number, to: number): Lines[] {
  const blocks: Lines[] = [];
  let start = 0;
  let last = 0;
  let size = 0;
  const close = () => {
    if (start) blocks.push([start, last]);
    start = size = 0;
  };
  for (let line = from; line <= to; line++) {
    const length = lines[line - 1]!.trim().length;
    if (length === 0 || isUnderline(lines[line - 1]!)) {
      if (size >= shortest) close();
      continue;
    }
    if (size + length > longest) close();
    if (!start) start = line;
    last = line;
    size += length;
  }
  close();
  return joined(blocks, lines);
}

/** The row of signs below a title holds nothing to be found. */
const isUnderline = (line: string): boolean => /^\s*([=\-~^*_])\1{2,}\s*$/.test(line);

/** A short rest goes to the block before it, where that stays small enough. */
function joined(blocks: Lines[], lines: readonly string[]): Lines[] {
  const rest = blocks.at(-1);
  const before = blocks.at(-2);
  if (!rest || !before || sizeOf(rest, lines) >= shortest / 2) return blocks;
  if (sizeOf(before, lines) + sizeOf(rest, lines) > longest) return blocks;
  return [...blocks.slice(0, -2), [before[0], rest[1]]];
}

const sizeOf = ([from, to]: Lines, lines: readonly string[]): number =>
  lines.slice(from - 1, to).reduce((sum, line) => sum + line.trim().length, 0);

/** The heading above a line, or at it. */
export function headingAbove(headings: readonly Heading[], line: number): string {
  let nearest = "";
  for (const heading of headings) {
    if (heading.line > line) break;
    nearest = heading.text;
  }
  return nearest;
}
