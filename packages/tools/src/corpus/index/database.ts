import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import Database from "libsql";
import { messageOf } from "../message-of.ts";

/** An open index. */
export type Index = Database.Database;

/** What a file turned out to be. */
export type Opened =
  | { readonly type: "open"; readonly index: Index }
  /** Not SQLite, or broken: it may be moved aside. */
  | { readonly type: "damaged"; readonly reason: string }
  /** A database of something else: it must not be touched. */
  | { readonly type: "foreign" }
  /** Another process is writing to it. */
  | { readonly type: "held"; readonly reason: string }
  /** It can't be written or made. */
  | { readonly type: "unusable"; readonly reason: string };

/** Says "agentpool corpus" in the file's header ([application_id](https://www.sqlite.org/pragma.html#pragma_application_id)). */
const applicationId = 0x61_70_63_31;
/** Raise it when the tables, or what is extracted from files, change: older indexes are then built anew. */
const version = 3;

const schema = `
  CREATE TABLE document (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, bytes INTEGER NOT NULL, modified REAL NOT NULL,
    digest TEXT NOT NULL, seen REAL NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL, lines INTEGER NOT NULL,
    headings TEXT NOT NULL, notice TEXT, reason TEXT);
  CREATE TABLE content (
    id INTEGER PRIMARY KEY, document INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    text TEXT NOT NULL);
  CREATE INDEX content_document ON content (document, first, last);
  CREATE TABLE passage (
    id INTEGER PRIMARY KEY, document INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    heading TEXT NOT NULL, plain TEXT NOT NULL);
  CREATE INDEX passage_document ON passage (document);
  CREATE VIRTUAL TABLE words USING fts5 (title, trail, body,
    content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2');
`;

/** The words of all passages ([fts5vocab](https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module)). */
const vocabulary =
  "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words', 'row')";

/** Opens an index, or makes one that is empty. Blocks up to three seconds while another process writes. */
export function openIndex(path: string): Opened {
  let index: Index | undefined;
  try {
    if (path !== ":memory:") mkdirSync(dirname(path), { recursive: true });
    index = new Database(path);
    index.exec(`PRAGMA busy_timeout = ${patience}`);
    const opened = prepare(index);
    if (opened.type !== "open") closeIndex(index);
    return opened;
  } catch (error) {
    if (index) closeIndex(index);
    return troubleOf(error) ?? { type: "unusable", reason: reasonOf(error) };
  }
}

/** Milliseconds to wait for another process to finish writing. */
const patience = 3_000;

/**
 * Ends what is open and closes. The file's descriptors go once the index' prepared statements are collected as
 * garbage, so nobody may keep those.
 */
export function closeIndex(index: Index): void {
  if (!index.open) return;
  if (index.inTransaction) index.exec("ROLLBACK");
  index.close();
}

/** Brings what was written into the main file, as far as no other process is reading. */
export const settle = (index: Index): void =>
  void index.exec(
    `PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = ${patience}`,
  );

function prepare(index: Index): Opened {
  const tables = index.prepare("SELECT count(*) FROM sqlite_schema").raw().get() as [number];
  const id = read(index, "application_id");
  if (tables[0] > 0 && id !== applicationId) return { type: "foreign" };
  index.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  index.exec("BEGIN IMMEDIATE");
  try {
    if (read(index, "user_version") !== version) {
      dropAll(index);
      index.exec(schema);
      index.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`);
    }
    index.exec("COMMIT");
  } catch (error) {
    index.exec("ROLLBACK");
    throw error;
  }
  const check = index.prepare("PRAGMA quick_check(1)").raw().get() as [string];
  if (check[0] !== "ok") return { type: "damaged", reason: check[0] };
  index.exec(vocabulary);
  return { type: "open", index };
}

function dropAll(index: Index): void {
  for (const table of ["words", "passage", "content", "document"])
    index.exec(`DROP TABLE IF EXISTS ${table}`);
}

const read = (index: Index, pragma: string): number =>
  (index.prepare(`PRAGMA ${pragma}`).raw().get() as [number])[0];

/** What an error says of the file; undefined for one that is not about it. */
export function troubleOf(error: unknown): Exclude<Opened, { type: "open" | "foreign" }> | undefined {
  const code = codeOf(error);
  const reason = reasonOf(error);
  if (damaged.test(code) || /malformed|not a database/i.test(reason)) return { type: "damaged", reason };
  if (held.test(code)) return { type: "held", reason };
  return unwritable.test(code) ? { type: "unusable", reason } : undefined;
}

/** The driver names a file that it can't open by a number. */
const reasonOf = (error: unknown): string => {
  const message = messageOf(error);
  return /unable to open connection/i.test(message) ? "it cannot be opened or made" : message;
};

const damaged = /^SQLITE_(CORRUPT|NOTADB)/;
const held = /^SQLITE_(BUSY|LOCKED)/;
const unwritable = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|PERM)/;

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? "");
