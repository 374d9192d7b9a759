import { type DecidingGuard, refuse } from "@agentpool/core";
import type { Corpus } from "../corpus/corpus.ts";
import { said, unread } from "../tools/ranges.ts";
import { selectionOf } from "../tools/selection.ts";

/** `read_dedup`: refuses lines of a document that were all read, and says which were not. */
export function readDedup(corpus: Corpus, maxChars: number): DecidingGuard {
  return {
    name: "read_dedup",
    decide: ({ args, attended }) => {
      const wanted = selectionOf(corpus, args, maxChars);
      if (!wanted) return undefined;
      const { document, range } = wanted;
      const read = attended().flatMap((earlier) => {
        const other = selectionOf(corpus, earlier, maxChars);
        return other && other.document.path === document.path ? [other.range] : [];
      });
      if (read.length === 0 || unread(range, read).length > 0) return undefined;
      const open = unread([1, document.lines], read);
      const next = open[0]
        ? `Not read yet: ${said(open.slice(0, 4))}. Ask for those (from: ${open[0][0]}), or read another document.`
        : "All of it was read. Use what you have, or read another document.";
      return refuse(`${document.path}, ${said([range])}, was read already. ${next}`);
    },
  };
}
