import { existsSync, type FSWatcher, mkdirSync, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import Database from "libsql";
import { StoreError } from "../values/errors.ts";
import { type Engine, type Reader, type SqlRow, UnmetError } from "./engine.ts";
import { SqliteWriter } from "./sqlite-writer.ts";

/** Milliseconds to wait for another process that writes. */
const BUSY = 10_000;

/**
 * A SQLite database in a file. Readers of other processes see it while it is written (write-ahead log). What was
 * committed survives the death of the process; `durable` makes it survive a loss of power, for a disk's sync per commit.
 * Reading is done here, writing in a thread.
 */
export function openSqlite(path: string, durable = false): Engine {
  const database = opened(path, durable);
  const prepared = new Map<string, Database.Statement>();
  const prepare = (sql: string): Database.Statement => {
    let statement = prepared.get(sql);
    if (!statement) {
      statement = database.prepare(sql);
      prepared.set(sql, statement);
    }
    return statement;
  };
  const all: Reader["all"] = async (sql, params = []) =>
    attempt(path, () => (prepare(sql).all(...params) as SqlRow[]).map(plain));
  let reading = 0;
  const writer = new SqliteWriter({ path, busy: BUSY, pragmas: pragmasOf(durable) });
  return {
    name: "sqlite",
    all,
    async snapshot(read) {
      // one connection reads: who comes while somebody reads a moment reads the same one
      if (reading === 0) attempt(path, () => prepare("begin deferred").run());
      reading++;
      try {
        return await read({ all });
      } finally {
        if (--reading === 0 && database.inTransaction) attempt(path, () => prepare("commit").run());
      }
    },
    async write(statements) {
      try {
        await writer.write(statements);
      } catch (error) {
        throw error instanceof UnmetError ? error : explained(path, error);
      }
    },
    async script(sql) {
      attempt(path, () => {
        try {
          database.exec(`begin immediate;\n${sql}\ncommit;`);
        } catch (error) {
          if (database.inTransaction) database.exec("rollback");
          throw error;
        }
      });
    },
    watch: (heard) => watchFile(path, heard),
    async close() {
      await writer.close();
      prepared.clear();
      try {
        // what the log holds goes into the file, unless others are still at it
        database.exec("pragma busy_timeout = 0; pragma wal_checkpoint(truncate);");
      } catch {}
      database.close();
    },
  };
}

/** What every connection is told. A checkpoint is worth its while once there is something to it. */
const pragmasOf = (durable: boolean): string =>
  `pragma busy_timeout = ${BUSY}; pragma synchronous = ${durable ? "full" : "normal"}; pragma wal_autocheckpoint = 4000;`;

function opened(path: string, durable: boolean): Database.Database {
  try {
    makeFolder(dirname(path));
  } catch (error) {
    throw new StoreError("unwritable", `the folder of ${path} cannot be made: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (existsSync(path) && statSync(path).isDirectory())
    throw new StoreError(
      "unwritable",
      `${path} is a folder. Set store to a file in it, or to another place.`,
    );
  return attempt(path, () => {
    const database = new Database(path, { timeout: BUSY });
    try {
      database.exec(`pragma busy_timeout = ${BUSY}; pragma journal_mode = wal; ${pragmasOf(durable)}`);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** With those it is in. Node's own way of doing so never ends where a file system takes no folders, such as /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) {
    if (statSync(folder).isDirectory()) return;
    throw new Error(`${folder} is a file`);
  }
  const above = dirname(folder);
  if (above !== folder) makeFolder(above);
  try {
    mkdirSync(folder);
  } catch (error) {
    // another process was faster
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** libsql adds fields of its own to rows. */
function plain(row: SqlRow): SqlRow {
  delete (row as { _metadata?: unknown })._metadata;
  return row;
}

/** The write-ahead log grows with every commit, of whichever process. The folder is watched: the log comes and goes. */
function watchFile(path: string, heard: () => void): () => void {
  const name = basename(path);
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(dirname(path), { persistent: false }, (_, file) => {
      if (file === null || file.startsWith(name)) heard();
    });
    watcher.on("error", () => {});
  } catch {
    // no watches left, or a file system without them
  }
  return () => watcher?.close();
}

function attempt<T>(path: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof UnmetError) throw error;
    throw explained(path, error);
  }
}

function explained(path: string, error: unknown): StoreError {
  const message = messageOf(error);
  const code = (error as { code?: string }).code ?? "";
  const about = (problem: StoreError["problem"], text: string) =>
    new StoreError(problem, text, { cause: error });
  if (/NOTADB|CORRUPT/.test(code) || /not a database|malformed/.test(message))
    return about(
      "damaged",
      `${path} is damaged, or is no database: ${message}. Move it away, and the next run begins a new one.`,
    );
  if (/CANTOPEN|READONLY|PERM/.test(code) || /unable to open|readonly/i.test(message))
    return about("unwritable", `${path} cannot be written: ${message}. Set store to a place that can be.`);
  if (/FULL/.test(code) || /disk is full/.test(message))
    return about("failed", `the disk of ${path} is full.`);
  if (/BUSY|LOCKED/.test(code) || /locked/.test(message))
    return about(
      "failed",
      `${path} was locked by another process for longer than ${BUSY / 1_000} seconds: ${message}`,
    );
  return about("failed", `${path}: ${message}`);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
