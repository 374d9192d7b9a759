import type { Document, DocumentInfo, DocumentKind, DocumentOutline, Heading } from "../corpus.ts";
import type { Index } from "./database.ts";
import { recent } from "./recent.ts";
import { type Searcher, searcherOf } from "./searcher.ts";
import { type Statements, statementsOf } from "./statements.ts";
import type { FileState } from "./writer.ts";

/** Reads an index. What it gives is quick: no statement takes longer than a query. */
export interface Reader extends Searcher {
  documents(): DocumentInfo[];
  /** What it knows of files that were left out, and of documents that a reader should know something about. */
  remarks(): Remark[];
  outline(paths: readonly string[] | undefined): DocumentOutline[];
  open(path: string): Document | undefined;
  /** Lets go of the index. Everything else then throws. */
  close(): void;
}

export interface Remark {
  readonly path: string;
  readonly text: string;
  readonly about: "document" | "left_out";
}

/** Documents that are kept open: reading on in one is quick. */
const keep = {
  most: 64,
  weight: 16_000_000,
  weigh: (document: Document | undefined) => (document ? document.bytes + 100 * document.lines : 0),
};

export function readerOf(index: Index): Reader {
  const statements = statementsOf(index);
  const { rows } = statements;
  const infos = rows<InfoRow>(`SELECT ${info} FROM document WHERE reason IS NULL ORDER BY path`);
  const outlines = rows<OutlineRow>(
    `SELECT ${info}, headings FROM document WHERE reason IS NULL ORDER BY path`,
  );
  const outline = rows<OutlineRow>(
    `SELECT ${info}, headings FROM document WHERE reason IS NULL AND path = ?`,
  );
  const remarks = rows<[path: string, notice: string | null, reason: string | null]>(
    "SELECT path, notice, reason FROM document WHERE notice IS NOT NULL OR reason IS NOT NULL ORDER BY path",
  );
  return {
    ...searcherOf(statements),
    documents: () => infos().map(infoOf),
    remarks: () =>
      remarks().map(([path, notice, reason]) => ({
        path,
        text: reason ?? notice ?? "",
        about: reason === null ? "document" : "left_out",
      })),
    outline: (paths) => (paths ? paths.flatMap((path) => outline(path)) : outlines()).map(outlineOf),
    open: recent(openerOf(statements, outline), keep),
    close: statements.close,
  };
}

/** Every file that an index knows of, left out ones included. */
export function statesOf(index: Index): Map<string, FileState> {
  const states = index.prepare("SELECT path, bytes, modified, digest, seen FROM document").raw();
  const rows = states.all() as [string, number, number, string, number][];
  return new Map(
    rows.map(([path, bytes, modified, digest, seen]) => [path, { path, bytes, modified, digest, seen }]),
  );
}

type Opener = (path: string) => Document | undefined;

function openerOf({ rows }: Statements, outline: (path: string) => OutlineRow[]): Opener {
  const content = rows<[text: string]>(
    `SELECT text FROM content WHERE document = (SELECT id FROM document WHERE path = ?) ORDER BY first`,
  );
  return (path) => {
    const [row] = outline(path);
    return row && { ...outlineOf(row), content: content(path).flatMap(([text]) => text.split("\n")) };
  };
}

const info = "path, title, kind, lines, bytes";
type InfoRow = [path: string, title: string, kind: string, lines: number, bytes: number];
type OutlineRow = [...InfoRow, headings: string];

const infoOf = ([path, title, kind, lines, bytes]: InfoRow): DocumentInfo => ({
  path,
  title,
  kind: kind as DocumentKind,
  lines,
  bytes,
});

const outlineOf = ([path, title, kind, lines, bytes, headings]: OutlineRow): DocumentOutline => ({
  ...infoOf([path, title, kind, lines, bytes]),
  headings: (JSON.parse(headings) as [number, string, number][]).map(
    ([level, text, line]): Heading => ({ level, text, line }),
  ),
});
