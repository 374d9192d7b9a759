import type { DocumentKind, Heading, Lines } from "../corpus.ts";
import { headingStyleOf, passagesOf } from "../passages.ts";
import type { Index } from "./database.ts";
import { indexed, plainOf } from "./words.ts";

/** The state of a file when it was read: how a later refresh knows that nothing changed. */
export interface FileState {
  readonly path: string;
  readonly bytes: number;
  readonly modified: number;
  readonly digest: string;
  /** When it was read, in milliseconds since the epoch. */
  readonly seen: number;
}

/** A file as it goes into the index. */
export type Entry = FileState &
  (
    | {
        readonly type: "document";
        readonly kind: DocumentKind;
        readonly title: string;
        readonly lines: readonly string[];
        readonly headings: readonly Heading[];
        readonly notice: string | undefined;
      }
    | { readonly type: "left_out"; readonly reason: string }
  );

export interface Writer {
  /** Adds a file or replaces what is there of it. */
  put(entry: Entry): void;
  /** A file whose content is what it was, though its state is not. */
  touch(state: FileState): void;
  remove(path: string): void;
}

/** Writes to an index. Call it within {@link inTransaction}. */
export function writerOf(index: Index): Writer {
  const find = index.prepare("SELECT id FROM document WHERE path = ?").raw();
  const passages = index.prepare("SELECT id FROM passage WHERE document = ?").raw();
  const forgetWords = index.prepare("DELETE FROM words WHERE rowid = ?");
  const forgetPassages = index.prepare("DELETE FROM passage WHERE document = ?");
  const forgetContent = index.prepare("DELETE FROM content WHERE document = ?");
  const forgetDocument = index.prepare("DELETE FROM document WHERE id = ?");
  const addDocument = index.prepare(
    `INSERT INTO document (path, bytes, modified, digest, seen, kind, title, lines, headings, notice, reason)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const addContent = index.prepare("INSERT INTO content (document, first, last, text) VALUES (?, ?, ?, ?)");
  const addPassage = index.prepare(
    "INSERT INTO passage (document, first, last, heading, plain) VALUES (?, ?, ?, ?, ?)",
  );
  const addWords = index.prepare("INSERT INTO words (rowid, title, trail, body) VALUES (?, ?, ?, ?)");
  const touch = index.prepare("UPDATE document SET bytes = ?, modified = ?, seen = ? WHERE path = ?");

  const remove = (path: string) => {
    const found = find.get(path) as [number] | undefined;
    if (!found) return;
    for (const [id] of passages.all(found[0]) as [number][]) forgetWords.run(id);
    forgetPassages.run(found[0]);
    forgetContent.run(found[0]);
    forgetDocument.run(found[0]);
  };

  return {
    remove,
    touch: ({ path, bytes, modified, seen }) => void touch.run(bytes, modified, seen, path),
    put: (entry) => {
      remove(entry.path);
      const state = [entry.path, entry.bytes, entry.modified, entry.digest, entry.seen];
      if (entry.type === "left_out") {
        addDocument.run(...state, "", "", 0, "[]", null, entry.reason);
        return;
      }
      const { kind, title, lines, headings, notice } = entry;
      const document = addDocument.run(
        ...state,
        kind,
        title,
        lines.length,
        JSON.stringify(headings.map(({ level, text, line }) => [level, text, line])),
        notice ?? null,
        null,
      ).lastInsertRowid;
      for (const [first, last] of chunksOf(lines))
        addContent.run(document, first, last, lines.slice(first - 1, last).join("\n"));
      const about = indexed(`${title} ${entry.path.replace(/[/._-]+/g, " ")}`);
      for (const passage of passagesOf(lines, headings, headingStyleOf(kind))) {
        const [first, last] = passage.lines;
        const body = indexed(lines.slice(first - 1, last).join("\n"));
        const id = addPassage.run(document, first, last, passage.heading, plainOf(body)).lastInsertRowid;
        addWords.run(id, about, indexed(passage.trail.join(" ")), body);
      }
    },
  };
}

/** Text is kept in pieces of about this many characters, so that a passage of a large document is quickly had. */
const chunkSize = 16_000;

function* chunksOf(lines: readonly string[]): Generator<Lines> {
  let first = 1;
  let size = 0;
  for (const [index, line] of lines.entries()) {
    size += line.length + 1;
    if (size < chunkSize && index < lines.length - 1) continue;
    yield [first, index + 1];
    first = index + 2;
    size = 0;
  }
}

/** Runs `write` at once, all of it or nothing. */
export function inTransaction(index: Index, write: () => void): void {
  index.exec("BEGIN IMMEDIATE");
  try {
    write();
    index.exec("COMMIT");
  } catch (error) {
    if (index.inTransaction) index.exec("ROLLBACK");
    throw error;
  }
}
