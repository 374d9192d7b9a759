import type { Args } from "@agentpool/core";
import { z } from "zod";
import type { Corpus, Document, Lines } from "../corpus/corpus.ts";
import { knownPath } from "./paths.ts";

/** The document and the lines that a call of `read` means. */
export interface Selection {
  readonly document: Document;
  readonly range: Lines;
  /** The first line that no longer fits with what `from` begins; undefined where the document ends before. */
  readonly rest: number | undefined;
}

export const readParameters = z.object({
  path: z.string().min(1).describe("A document's path, as list and search give it"),
  from: z.number().int().min(1).optional().describe("First line; default: the first"),
  to: z.number().int().min(1).optional().describe("Last line; default: as many as fit"),
});

/**
 * What a call means, whatever it leaves open: the same arguments always give the same lines, and those it gives for
 * explicit lines are these lines. Undefined for a path that is unknown or lines that are not there.
 */
export function selectionOf(corpus: Corpus, args: Args, maxChars: number): Selection | undefined {
  const parsed = readParameters.safeParse(args);
  if (!parsed.success) return undefined;
  const document = corpus.open(knownPath(corpus, parsed.data.path) ?? "");
  if (!document) return undefined;
  const { from = 1, to = document.lines } = parsed.data;
  if (from > document.lines || to < from) return undefined;
  const fits = lastThatFits(document.content, from, maxChars);
  return { document, range: [from, Math.min(to, fits)], rest: fits < document.lines ? fits + 1 : undefined };
}

/** The last line that fits with those from `from` on; a line that does not fit alone is given alone. */
function lastThatFits(content: readonly string[], from: number, maxChars: number): number {
  let size = 0;
  for (let line = from; line <= content.length; line++) {
    size += content[line - 1]!.length + 1;
    if (size > maxChars && line > from) return line - 1;
  }
  return content.length;
}
