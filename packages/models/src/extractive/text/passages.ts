import { code, commentLine, withoutMarks } from "./comments.ts";
import { isProse } from "./prose.ts";
import { sentences } from "./sentences.ts";
import { type Counts, countStems, type Word, words } from "./words.ts";

/** A paragraph, list item, table row or block of code: lines that belong together. */
export interface Block {
  readonly kind: "prose" | "item" | "row" | "code";
  /** The headings above it, outermost first. */
  readonly headings: readonly string[];
  /** First and last line, counted from 1. */
  readonly from: number;
  readonly to: number;
  readonly sentences: readonly Sentence[];
  readonly counts: Counts;
  /** Words in it. */
  readonly length: number;
}

/** The unit that is scored and quoted. */
export interface Sentence {
  /** Verbatim, with white space folded. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly words: readonly Word[];
  /** How often each stem occurs in it. */
  readonly counts: Counts;
  /** It says something in words: see `isProse`. Code never does. */
  readonly prose: boolean;
}

/** White space folded to single spaces: the form in which quotations are compared. */
export const foldSpace = (text: string): string => text.replace(/\s+/g, " ").trim();

const heading = /^\s{0,3}(#{1,6})\s+(.+?)\s*#*\s*$/;
const fence = /^\s*(?:```|~~~)/;
const item = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
const row = /^\s*\|/;
const rule = /^\s*(?:[-=_*]\s*){3,}$|^\s*\|[\s|:-]+\|?\s*$/;
const markup = /^\s*(?:<[^>]+>\s*)+$|^\s*(?:import|export)\s.+from\s+["'].+["'];?\s*$/;
/** What a comment says of one thing, a parameter for example. */
const tag = /^@\w/;

interface Line {
  readonly number: number;
  readonly text: string;
}

/**
 * The blocks of a document's lines, numbered from `first`. Headings are not blocks, they are what blocks stand under;
 * front matter, rules and lines of pure markup are left out.
 */
export function passages(lines: readonly string[], first = 1, under: readonly string[] = []): Block[] {
  const blocks: Block[] = [];
  const headings: string[] = [...under];
  let open: Line[] = [];
  let kind: Block["kind"] = "prose";
  let fenced = false;
  let before = code;
  const close = (): void => {
    if (open.length > 0) {
      const block = blockOf(kind, headings.filter(Boolean), open);
      if (block.sentences.length > 0) blocks.push(block);
    }
    open = [];
    kind = "prose";
  };
  const start = first === 1 ? frontMatterEnd(lines) : 0;
  for (let index = start; index < lines.length; index++) {
    const text = lines[index]!;
    const number = first + index;
    // What a comment says and the code beside it are no sentence.
    const comment = fenced && before.type === "code" ? code : commentLine(text, before);
    if (comment.type !== before.type || (comment.type === "block" && comment.opens)) {
      if (before.type !== "code") fenced = false;
      close();
    }
    before = comment;
    const said = comment.type === "code" ? text : comment.text;
    if (fence.test(said)) {
      close();
      fenced = !fenced;
      kind = fenced ? "code" : "prose";
      continue;
    }
    if (fenced) {
      open.push({ number, text });
      continue;
    }
    if (comment.type !== "code") {
      if (said.trim() === "" || tag.test(said)) close();
      if (item.test(said)) {
        close();
        kind = "item";
      }
      if (said.trim() !== "") open.push({ number, text: item.test(said) ? said.replace(item, "") : text });
      continue;
    }
    const title = heading.exec(text);
    if (title) {
      close();
      const depth = title[1]!.length;
      headings.length = Math.min(headings.length, depth - 1);
      headings[depth - 1] = title[2]!;
    } else if (text.trim() === "" || rule.test(text) || markup.test(text)) {
      close();
    } else if (row.test(text)) {
      close();
      kind = "row";
      open.push({ number, text });
      close();
    } else if (item.test(text)) {
      close();
      kind = "item";
      open.push({ number, text: text.replace(item, "") });
    } else {
      open.push({ number, text });
    }
  }
  close();
  return blocks;
}

function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trim() !== "---") return 0;
  const end = lines.findIndex((line, index) => index > 0 && line.trim() === "---");
  return end === -1 ? 0 : end + 1;
}

/** A block of code is quoted in pieces of that many lines. */
const codeLines = 4;

function blockOf(kind: Block["kind"], headings: readonly string[], lines: readonly Line[]): Block {
  const from = lines[0]!.number;
  const to = lines.at(-1)!.number;
  const found = kind === "code" || kind === "row" ? pieces(kind, lines) : proseSentences(lines);
  const all = found.flatMap((sentence) => sentence.words);
  return {
    kind,
    headings: [...headings],
    from,
    to,
    sentences: found,
    counts: countStems(all),
    length: all.length,
  };
}

function pieces(kind: Block["kind"], lines: readonly Line[]): Sentence[] {
  const made: Sentence[] = [];
  for (let at = 0; at < lines.length; at += codeLines) {
    const piece = lines.slice(at, at + codeLines);
    const text = foldSpace(piece.map((line) => line.text).join("\n"));
    const inside = words(text);
    if (inside.length > 0)
      made.push(
        sentenceOf(text, piece[0]!.number, piece.at(-1)!.number, inside, kind !== "code" && isProse(text)),
      );
  }
  return made;
}

function proseSentences(lines: readonly Line[]): Sentence[] {
  const text = lines.map((line) => line.text).join("\n");
  const ends: number[] = [];
  let at = 0;
  for (const line of lines) {
    at += line.text.length + 1;
    ends.push(at);
  }
  const lineAt = (offset: number): number => {
    const index = ends.findIndex((end) => offset < end);
    return lines[index === -1 ? lines.length - 1 : index]!.number;
  };
  return sentences(text).flatMap(({ start, end }) => {
    const found = withoutMarks(foldSpace(text.slice(start, end)));
    const inside = words(found);
    if (inside.length === 0) return [];
    return [sentenceOf(found, lineAt(start), lineAt(end - 1), inside, isProse(found))];
  });
}

const sentenceOf = (
  text: string,
  from: number,
  to: number,
  inside: readonly Word[],
  prose: boolean,
): Sentence => ({
  text,
  from,
  to,
  words: inside,
  counts: countStems(inside),
  prose,
});
