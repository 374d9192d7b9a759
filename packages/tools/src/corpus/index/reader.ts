import type { Document, DocumentInfo, DocumentKind, DocumentOutline, Heading, SearchHit } from "../corpus.ts";
import type { Index } from "./database.ts";
import { parseQuery } from "./query.ts";
import { snippetOf, stemsOf } from "./snippet.ts";
import type { FileState } from "./writer.ts";

/** How much a word counts in a document's title and path, in the headings above a passage, in its text. */
const weights = "2.0, 2.0, 1.0";

export interface Reader {
  /** Every file the index knows of, left out ones included. */
  states(): Map<string, FileState>;
  documents(): DocumentInfo[];
  /** What it knows of files that were left out, and of documents that a reader should know something about. */
  remarks(): { readonly path: string; readonly text: string; readonly leftOut: boolean }[];
  outline(paths: readonly string[] | undefined): DocumentOutline[];
  open(path: string): Document | undefined;
  search(query: string, limit: number): SearchHit[];
  matches(query: string): number;
}

/** Reads an index. What it gives is quick: no statement takes longer than a query. */
export function readerOf(index: Index): Reader {
  const rows = <Row extends unknown[]>(sql: string) => {
    const statement = index.prepare(sql).raw();
    return (...args: unknown[]) => statement.all(...args) as Row[];
  };
  const states = rows<[string, number, number, string, number]>(
    "SELECT path, bytes, modified, digest, seen FROM document",
  );
  const infos = rows<InfoRow>(
    "SELECT path, title, kind, lines, bytes FROM document WHERE reason IS NULL ORDER BY path",
  );
  const remarks = rows<[string, string | null, string | null]>(
    "SELECT path, notice, reason FROM document WHERE notice IS NOT NULL OR reason IS NOT NULL ORDER BY path",
  );
  const outlines = rows<[...InfoRow, string]>(
    "SELECT path, title, kind, lines, bytes, headings FROM document WHERE reason IS NULL ORDER BY path",
  );
  const outline = rows<[...InfoRow, string]>(
    "SELECT path, title, kind, lines, bytes, headings FROM document WHERE reason IS NULL AND path = ?",
  );
  const content = rows<[string]>(
    "SELECT text FROM content WHERE document = (SELECT id FROM document WHERE path = ? AND reason IS NULL)",
  );
  const found = rows<[number, number]>(
    `SELECT rowid, bm25(words, ${weights}) AS score FROM words WHERE words MATCH ? ORDER BY score LIMIT ?`,
  );
  const passage = rows<[string, string, string, number, number]>(
    `SELECT document.path, document.title, passage.heading, passage.first, passage.last
     FROM passage JOIN document ON document.id = passage.document WHERE passage.id = ?`,
  );
  const count = rows<[number]>("SELECT count(*) FROM words WHERE words MATCH ?");

  const open = (path: string): Document | undefined => {
    const [row] = outline(path);
    const [text] = content(path);
    return row && text && { ...outlineOf(row), content: text[0] === "" ? [] : text[0].split("\n") };
  };
  const contents = recent(open, 64);

  return {
    states: () =>
      new Map(
        states().map(([path, bytes, modified, digest, seen]) => [
          path,
          { path, bytes, modified, digest, seen },
        ]),
      ),
    documents: () => infos().map(infoOf),
    remarks: () =>
      remarks().map(([path, notice, reason]) => ({
        path,
        text: reason ?? notice ?? "",
        leftOut: reason !== null,
      })),
    outline: (paths) => (paths ? paths.flatMap((path) => outline(path)) : outlines()).map(outlineOf),
    open: contents,
    matches: (query) => {
      const { match } = parseQuery(query);
      return match === undefined ? 0 : count(match)[0]![0];
    },
    search: (query, limit) => {
      const { match, words } = parseQuery(query);
      if (match === undefined) return [];
      const stems = stemsOf(words);
      const hits: SearchHit[] = [];
      const texts = new Set<string>();
      // More than asked for, because equal passages (a licence in every package) are shown once.
      for (const [id, score] of found(match, limit * 2 + 10)) {
        if (hits.length === limit) break;
        const [row] = passage(id);
        if (!row) continue;
        const [path, title, heading, first, last] = row;
        const text =
          contents(path)
            ?.content.slice(first - 1, last)
            .join("\n") ?? "";
        if (texts.has(text)) continue;
        texts.add(text);
        hits.push({
          path,
          title,
          heading,
          lines: [first, last],
          snippet: snippetOf(text, stems),
          score: -score,
        });
      }
      return hits;
    },
  };
}

type InfoRow = [path: string, title: string, kind: string, lines: number, bytes: number];

const infoOf = ([path, title, kind, lines, bytes]: InfoRow): DocumentInfo => ({
  path,
  title,
  kind: kind as DocumentKind,
  lines,
  bytes,
});

const outlineOf = ([path, title, kind, lines, bytes, headings]: [...InfoRow, string]): DocumentOutline => ({
  ...infoOf([path, title, kind, lines, bytes]),
  headings: (JSON.parse(headings) as [number, string, number][]).map(
    ([level, text, line]): Heading => ({ level, text, line }),
  ),
});

/** Keeps the latest answers of a function: reading on in a document, or searching again, opens it once. */
function recent<Value>(compute: (key: string) => Value, most: number): (key: string) => Value {
  const kept = new Map<string, Value>();
  return (key) => {
    const value = kept.has(key) ? kept.get(key)! : compute(key);
    kept.delete(key);
    kept.set(key, value);
    if (kept.size > most) kept.delete(kept.keys().next().value!);
    return value;
  };
}
