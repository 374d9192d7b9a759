import { parse } from "yaml";
import type { Heading } from "../corpus.ts";
import { linesOf } from "../decode.ts";
import type { Extracted } from "./extracted.ts";

const atx = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const underline = /^ {0,3}(=+|-+)[ \t]*$/;
const fence = /^ {0,3}(`{3,}|~{3,})/;
const htmlHeading = /^\s*<h([1-6])\b[^>]*>(.*?)<\/h\1>\s*$/i;
/** What makes the line above an underline part of something else than a paragraph. */
const notParagraph = /^( {4}|\t|\s*([-*+>|#]|\d+[.)])(\s|$))/;

/**
 * Markdown and MDX: the file's own lines, with the headings of
 * [CommonMark](https://spec.commonmark.org/0.31.2/#leaf-blocks) (and `<h1>` to `<h6>` on a line of their own) and
 * the front matter's title. Nothing inside a code block is a heading.
 */
export function markdown(text: string): Extracted {
  const lines = linesOf(text);
  const matter = frontMatter(lines);
  const headings: Heading[] = [];
  let closing: string | undefined;
  for (let index = matter.lines; index < lines.length; index++) {
    const line = lines[index]!;
    const fenced = fence.exec(line)?.[1];
    if (closing) {
      if (fenced?.startsWith(closing) && line.trim() === fenced) closing = undefined;
      continue;
    }
    if (fenced) {
      closing = fenced;
      continue;
    }
    const heading = headingAt(lines, index, matter.lines);
    if (heading) headings.push(heading);
  }
  const title = matter.title ?? headings.find((heading) => heading.level === 1)?.text ?? headings[0]?.text;
  return { type: "text", title, lines, headings };
}

function headingAt(lines: readonly string[], index: number, start: number): Heading | undefined {
  const line = lines[index]!;
  const hashes = atx.exec(line);
  if (hashes) return named(hashes[1]!.length, hashes[2] ?? "", index);
  const tag = htmlHeading.exec(line);
  if (tag) return named(Number(tag[1]), tag[2]!, index);
  const under = underline.exec(lines[index + 1] ?? "");
  const above = index > start ? lines[index - 1]! : "";
  if (under && line.trim() !== "" && endsBlock(above) && !notParagraph.test(line))
    return named(under[1]!.startsWith("=") ? 1 : 2, line, index);
  return undefined;
}

const endsBlock = (line: string): boolean => line.trim() === "" || fence.test(line) || atx.test(line);

const named = (level: number, raw: string, index: number): Heading | undefined => {
  const text = plain(raw);
  return text ? { level, text, line: index + 1 } : undefined;
};

/** A heading's words without their markup. */
export const plain = (raw: string): string =>
  raw
    .replace(/\{#[\w-]+\}\s*$/, "")
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])/g, "$1")
    .replace(/<[^>]*>/g, "")
    .replace(/(\*\*|__|`)(.*?)\1/g, "$2")
    .replace(/\\([\\`*_{}[\]()#+.!-])/g, "$1")
    .replace(/\s+/g, " ")
    .trim();

/** The front matter's title, and how many lines the block takes. */
function frontMatter(lines: readonly string[]): { title: string | undefined; lines: number } {
  const end =
    lines[0]?.trim() === "---"
      ? lines.findIndex((line, index) => index > 0 && /^(---|\.\.\.)\s*$/.test(line))
      : -1;
  if (end < 0) return { title: undefined, lines: 0 };
  try {
    const matter: unknown = parse(lines.slice(1, end).join("\n"));
    const title =
      typeof matter === "object" && matter !== null && "title" in matter ? matter.title : undefined;
    return { title: typeof title === "string" && title.trim() ? title.trim() : undefined, lines: end + 1 };
  } catch {
    return { title: undefined, lines: end + 1 };
  }
}
