import type { Extracted } from "./extracted.ts";

/** No line is longer: what can be read by lines can be read in pieces. */
const longestLine = 6_000;
/** What a longer one is cut into. */
const wrappedTo = 1_200;

/**
 * Breaks enormous lines at the ends of sentences, else between words, so that every line can be read by itself. The
 * document's lines are then its own, and its notice says so.
 */
export function wrapped(extracted: Extracted): Extracted {
  if (extracted.type !== "text" || extracted.lines.every((line) => line.length <= longestLine))
    return extracted;
  const starts: number[] = [];
  const lines: string[] = [];
  for (const line of extracted.lines) {
    starts.push(lines.length + 1);
    if (line.length <= longestLine) lines.push(line);
    else for (const piece of pieces(line)) lines.push(piece);
  }
  const headings = extracted.headings.map((heading) => ({ ...heading, line: starts[heading.line - 1] ?? 1 }));
  const notice = "some of its lines are very long and were broken: line numbers are those of the broken text";
  return {
    ...extracted,
    lines,
    headings,
    notice: extracted.notice ? `${extracted.notice}; ${notice}` : notice,
  };
}

function* pieces(line: string): Generator<string> {
  let from = 0;
  while (line.length - from > wrappedTo) {
    const window = line.slice(from, from + wrappedTo);
    const sentence = Math.max(window.lastIndexOf(". "), window.lastIndexOf("? "), window.lastIndexOf("! "));
    const space = window.lastIndexOf(" ");
    const cut =
      sentence > wrappedTo / 2
        ? sentence + 2
        : space > wrappedTo / 2
          ? space + 1
          : whole(line, from + wrappedTo) - from;
    yield line.slice(from, from + cut);
    from += cut;
  }
  yield line.slice(from);
}

/** Never between the halves of a surrogate pair. */
const whole = (line: string, at: number): number => (/[\uDC00-\uDFFF]/.test(line[at] ?? "") ? at - 1 : at);
