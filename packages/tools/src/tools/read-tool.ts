import { defineTool, type Tool } from "@agentpool/core";
import type { Corpus, Lines } from "../corpus/corpus.ts";
import { headingAbove } from "../corpus/passages.ts";
import { readDedup } from "../guards/read-dedup.ts";
import { nearestPaths } from "./paths.ts";
import { between, said, unread } from "./ranges.ts";
import { readParameters, type Selection, selectionOf } from "./selection.ts";

/** What `read` gives. Lines are counted from 1, both ends included. */
export interface ReadResult {
  /** Told apart from a search's snippets: this was read. */
  readonly kind: "text";
  readonly path: string;
  readonly title: string;
  /** The nearest heading at or above the first line; empty where there is none. */
  readonly heading: string;
  readonly lines: Lines;
  /** The lines, verbatim, joined by `\n`: its first line is `lines[0]`. Lines read before are left blank. */
  readonly text: string;
  /** How many lines the document has. */
  readonly total: number;
  /** What was left out and how to get it. */
  readonly notice?: string;
}

/**
 * `read`: a document's lines, only those that the agent and its ancestors have not read. Its arguments are filled
 * in before anyone is asked about them, so that the record and the guard `read_dedup` have the very lines that were
 * served.
 */
export function readTool(corpus: Corpus, maxChars: number): Tool {
  return defineTool({
    name: "read",
    description:
      "Reads a document, or some of its lines. Lines that you have read already are not given again. " +
      "What is quoted in a report has to be read first: a search shows snippets only.",
    parameters: readParameters.overwrite((args) => {
      const selection = selectionOf(corpus, args, maxChars);
      if (!selection) return args;
      const [from, to] = selection.range;
      return { path: selection.document.path, from, to };
    }),
    idempotent: true,
    hooks: { name: "read", beforeDispatch: [readDedup(corpus, maxChars)] },
    execute: (args, ctx): ReadResult => {
      const selection = selectionOf(corpus, args, maxChars);
      if (!selection) throw new Error(whyNothing(corpus, args));
      const read = ctx.attended().flatMap((earlier) => {
        const other = selectionOf(corpus, earlier, maxChars);
        return other && other.document.path === selection.document.path ? [other.range] : [];
      });
      const gaps = unread(selection.range, read);
      // All of it was read in the meantime by another call: better again than nothing.
      return served(selection, gaps.length ? gaps : [selection.range]);
    },
  });
}

function served({ document, range, rest }: Selection, gaps: readonly Lines[]): ReadResult {
  const from = gaps[0]![0];
  const to = gaps.at(-1)![1];
  const blanks = between(gaps);
  const isBlank = (line: number) => blanks.some(([start, end]) => line >= start && line <= end);
  const text = document.content.slice(from - 1, to).map((line, index) => (isBlank(from + index) ? "" : line));
  const before = [
    ...(from > range[0] ? [[range[0], from - 1] as const] : []),
    ...(to < range[1] ? [[to + 1, range[1]] as const] : []),
  ];
  const notice = [
    before.length ? `You have read ${said(before)} before: not given again.` : "",
    blanks.length ? `You have read ${said(blanks)} before: left blank here.` : "",
    rest === range[1] + 1
      ? `There is more than fits: read on with from: ${rest} (${document.lines} lines in all).`
      : "",
  ].filter(Boolean);
  return {
    kind: "text",
    path: document.path,
    title: document.title,
    heading: headingAbove(document.headings, from),
    lines: [from, to],
    text: text.join("\n"),
    total: document.lines,
    ...(notice.length ? { notice: notice.join(" ") } : {}),
  };
}

function whyNothing(corpus: Corpus, args: { path: string; from?: number; to?: number }): string {
  const document = corpus.outline([args.path])[0];
  if (document) {
    const asked = `lines ${args.from ?? 1} to ${args.to ?? document.lines}`;
    return `${document.path} has ${document.lines} lines; there are no ${asked}. Give 1 ≤ from ≤ to ≤ ${document.lines}.`;
  }
  const near = nearestPaths(corpus, args.path);
  const hint = near.length ? `Did you mean ${near.map((path) => `"${path}"`).join(" or ")}? ` : "";
  return (
    `There is no document "${args.path.slice(0, 200)}" here. ${hint}Paths are those that list and search give, ` +
    `for example "${corpus.documents[0]!.path}"; nothing else can be read.`
  );
}
