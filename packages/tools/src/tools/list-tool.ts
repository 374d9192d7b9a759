import { defineTool, type Tool } from "@agentpool/core";
import picomatch from "picomatch";
import { z } from "zod";
import type { Corpus, DocumentInfo, DocumentOutline } from "../corpus/corpus.ts";
import { fitting } from "./fitting.ts";

/** What `list` gives. */
export interface ListResult {
  /** In the order of their paths. */
  readonly documents: readonly ListedDocument[];
  /** How many documents there are, of those that the glob means. */
  readonly total: number;
  /** What was left out and how to get it. */
  readonly notice?: string;
}

export interface ListedDocument {
  readonly path: string;
  readonly title: string;
  /** How many lines it has. */
  readonly lines: number;
  /** Its headings of the two highest levels, in order, at most twelve. */
  readonly headings: readonly string[];
}

const mostHeadings = 12;

/** `list`: which documents there are, with their titles and headings. */
export function listTool(corpus: Corpus, maxChars: number): Tool {
  return defineTool({
    name: "list",
    description: "Lists the documents there are, with titles and main headings.",
    parameters: z.object({
      glob: z.string().min(1).max(300).optional().describe("Only paths that match, for example guides/**"),
      limit: z.number().int().min(1).max(1_000).default(100).describe("Most documents to list"),
    }),
    idempotent: true,
    execute: ({ glob, limit }): ListResult => {
      const meant = glob === undefined ? corpus.documents : corpus.documents.filter(matcherOf(glob));
      const listed = corpus.outline(meant.slice(0, limit).map(({ path }) => path)).map(entryOf);
      const documents = fitting(listed, maxChars);
      const notice = noticeOf(corpus, glob, meant.length, documents.length);
      return { documents, total: meant.length, ...(notice ? { notice } : {}) };
    },
  });
}

/** A glob; a folder's name means what it holds. Many wildcards could take forever to match, so few are taken. */
function matcherOf(glob: string): (document: DocumentInfo) => boolean {
  const wildcards = glob.match(/\*+|[?+@!]\(/g)?.length ?? 0;
  if (wildcards > 6)
    throw new Error(`The glob has ${wildcards} wildcards, at most 6 are taken: name a folder instead.`);
  const clean = glob.replace(/^\.\//, "").replace(/\/$/, "");
  const matches = picomatch([clean, `${clean}/**`], { dot: true, nocase: true, noextglob: true });
  return ({ path }) => matches(path);
}

function entryOf(document: DocumentOutline): ListedDocument {
  const { path, title, lines, headings } = document;
  const below = headings.filter(({ text }) => text !== title);
  const highest = Math.min(...below.map(({ level }) => level));
  const main = below.filter(({ level }) => level <= highest + 1).map(({ text }) => text);
  return { path, title, lines, headings: main.slice(0, mostHeadings) };
}

function noticeOf(
  corpus: Corpus,
  glob: string | undefined,
  meant: number,
  given: number,
): string | undefined {
  if (meant === 0)
    return `No path matches "${glob}"; there are ${corpus.documents.length} documents, for example ${corpus.documents[0]?.path}.`;
  if (given < meant) return `${meant - given} more documents were left out: narrow it with glob, or search.`;
  return undefined;
}
