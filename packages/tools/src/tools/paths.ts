import { isAbsolute, posix, relative } from "node:path";
import { distance } from "fastest-levenshtein";
import type { Corpus } from "../corpus/corpus.ts";
import { posix as slashes } from "../corpus/files/ignoring.ts";

/** A document's path as the corpus has it, however it is written: `./a.md`, `docs//a.md`, an absolute path. */
export function knownPath(corpus: Corpus, path: string): string | undefined {
  if (corpus.open(path)) return path;
  const inside = isAbsolute(path)
    ? slashes(relative(corpus.root, path))
    : posix.normalize(path.replaceAll("\\", "/"));
  return corpus.open(inside) ? inside : undefined;
}

/** The known paths that were most likely meant: those of that file name first, then those that differ least. */
export function nearestPaths(corpus: Corpus, path: string, most = 3): string[] {
  const wanted = path.toLowerCase().slice(-200);
  const name = posix.basename(wanted);
  return corpus.documents
    .map((document) => {
      const known = document.path.toLowerCase();
      const edits = distance(wanted, known);
      return { path: document.path, edits: posix.basename(known) === name ? edits - 1_000 : edits };
    })
    .filter(({ edits }) => edits <= Math.max(2, wanted.length / 4))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, most)
    .map(({ path }) => path);
}
