import { existsSync, renameSync } from "node:fs";
import { ConfigurationError } from "@agentpool/core";
import { ensure, type Operation, resource } from "effection";
import { breather } from "../../breather.ts";
import { statOf } from "../files/disk.ts";
import type { FoundFile } from "../files/file-list.ts";
import { messageOf } from "../message-of.ts";
import { closeIndex, type Index, type Opened, openIndex, settle, troubleOf } from "./database.ts";
import { type Reader, readerOf, statesOf } from "./reader.ts";
import { refresh } from "./refresh.ts";

export interface IndexOptions {
  /** Absolute, or `:memory:`. */
  readonly path: string;
  readonly files: readonly FoundFile[];
  readonly now: () => number;
  readonly progress?: (done: number, total: number) => void;
}

export interface FreshIndex {
  readonly reader: Reader;
  readonly notices: readonly string[];
}

/**
 * An index that is up to date with the files and does not change while it is open, whatever other processes do.
 *
 * A damaged file is moved aside and built anew; where the file can't be written the index is kept in memory. Either
 * way a notice says so. A database of something else is a {@link ConfigurationError}.
 */
export function useIndex(options: IndexOptions): Operation<FreshIndex> {
  return resource(function* (provide) {
    const notices: string[] = [];
    const { path } = options;
    const before = identityOf(path);
    let made = yield* patiently(path, options);
    if (made.type === "damaged" && path !== memory) {
      // Another process may have found the same, and built a new one by now.
      if (identityOf(path) === before) notices.push(movedAside(path, made.reason, options.now()));
      made = yield* patiently(path, options);
    }
    if (made.type === "foreign")
      throw new ConfigurationError(
        `the index ${path} is a database of something else; name another file for the index`,
      );
    if (made.type !== "fresh") {
      notices.push(`the index ${path} cannot be used (${made.reason}); it is kept in memory for this run`);
      made = yield* attempt(memory, options);
    }
    if (made.type !== "fresh") throw new Error("no index can be made, not even in memory");
    yield* provide({ reader: made.reader, notices: [...notices, ...made.notices] });
  });
}

const memory = ":memory:";

type Attempt =
  | { readonly type: "fresh"; readonly reader: Reader; readonly notices: readonly string[] }
  | Exclude<Opened, { type: "open" }>;

/**
 * Waits as long as another process makes headway: it mostly writes what this one would. Who holds the index and writes
 * nothing is not waited for.
 */
function* patiently(path: string, options: IndexOptions): Operation<Attempt> {
  const breathe = breather(0);
  let before = writtenAt(path);
  let made = yield* attempt(path, options);
  while (made.type === "held") {
    yield* breathe();
    const now = writtenAt(path);
    if (now === before) return made;
    before = now;
    made = yield* attempt(path, options);
  }
  return made;
}

/** When an index was last written to, by whomever. */
const writtenAt = (path: string): number =>
  Math.max(statOf(path)?.mtimeMs ?? 0, statOf(`${path}-wal`)?.mtimeMs ?? 0);

/** Opens and refreshes an index, which stays open as long as the caller's scope, unless it is of no use. */
function* attempt(path: string, options: IndexOptions): Operation<Attempt> {
  const opened = openIndex(path);
  if (opened.type !== "open") return opened;
  const { index } = opened;
  let reader: Reader | undefined;
  const close = () => {
    reader?.close();
    closeIndex(index);
  };
  yield* ensure(close);
  try {
    const made = yield* upToDate(index, path, options);
    if (made.type === "fresh") reader = made.reader;
    else close();
    return made;
  } catch (error) {
    close();
    const trouble = troubleOf(error);
    if (trouble === undefined) throw error;
    return trouble;
  }
}

/** Refreshes, then holds on to what is there: a read transaction sees no later change. */
function* upToDate(index: Index, path: string, { files, now, progress }: IndexOptions): Operation<Attempt> {
  for (let tries = 0; tries < 3; tries++) {
    const notices = yield* refresh(index, files, now, progress);
    if (path !== memory) {
      settle(index);
      index.exec("BEGIN");
    }
    if (holdsAll(index, files, notices.length)) return { type: "fresh", reader: readerOf(index), notices };
    if (path !== memory) index.exec("ROLLBACK");
  }
  return { type: "unusable", reason: "other processes use it for other documents" };
}

/** Whether nobody took documents out or put others in between the refresh and now. */
function holdsAll(index: Index, files: readonly FoundFile[], unreadable: number): boolean {
  const known = statesOf(index);
  const missing = files.filter((file) => !known.has(file.path)).length;
  return missing === unreadable && known.size === files.length - missing;
}

/** Which file is at a path: another one of the same name has another identity. */
const identityOf = (path: string): number | undefined => statOf(path)?.ino;

/** Nothing is deleted: the damaged file and its journal keep their content under another name. */
function movedAside(path: string, reason: string, now: number): string {
  const aside = `${path}.damaged-${now}`;
  try {
    for (const suffix of ["", "-wal", "-shm"])
      if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
    return `the index ${path} was damaged (${reason}); it was moved to ${aside} and built anew`;
  } catch (error) {
    return `the index ${path} is damaged (${reason}) and cannot be moved aside (${messageOf(error)})`;
  }
}
