import { existsSync, renameSync } from "node:fs";
import { ConfigurationError } from "@agentpool/core";
import { type Operation, resource } from "effection";
import type { FoundFile } from "../files/file-list.ts";
import { type Index, isDamage, isUnwritable, messageOf, openIndex } from "./database.ts";
import { type Reader, readerOf } from "./reader.ts";
import { refresh } from "./refresh.ts";

export interface IndexOptions {
  /** Absolute, or `:memory:`. */
  readonly path: string;
  readonly files: readonly FoundFile[];
  readonly now: () => number;
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
    for (let attempt = 0; ; attempt++) {
      const path = attempt < 3 ? options.path : ":memory:";
      const opened = openIndex(path);
      if (opened.type === "foreign")
        throw new ConfigurationError(
          `the index ${path} is a database of something else; name another file for the index`,
        );
      if (opened.type === "damaged") {
        notices.push(...movedAside(path, opened.reason, options.now()));
        continue;
      }
      if (opened.type === "unusable") {
        if (path === ":memory:") throw new Error(`no index can be made: ${opened.reason}`);
        notices.push(inMemory(path, opened.reason));
        attempt = 3;
        continue;
      }
      const { index } = opened;
      try {
        const refreshed = yield* upToDate(index, path, options);
        if (refreshed.type === "failed") {
          if (refreshed.kind === "damaged")
            notices.push(...movedAside(path, refreshed.reason, options.now()));
          else {
            notices.push(inMemory(path, refreshed.reason));
            attempt = 3;
          }
          continue;
        }
        yield* provide({ reader: refreshed.reader, notices: [...notices, ...refreshed.notices] });
        return;
      } finally {
        index.close();
      }
    }
  });
}

type UpToDate =
  | { readonly type: "fresh"; readonly reader: Reader; readonly notices: readonly string[] }
  | { readonly type: "failed"; readonly kind: "damaged" | "unwritable"; readonly reason: string };

/** Refreshes, then holds on to what is there: a read transaction sees no later change. */
function* upToDate(index: Index, path: string, { files, now }: IndexOptions): Operation<UpToDate> {
  try {
    for (let tries = 0; tries < 3; tries++) {
      const notices = yield* refresh(index, files, now);
      if (path !== ":memory:") index.exec("BEGIN");
      const reader = readerOf(index);
      if (holdsAll(reader, files, notices.length)) return { type: "fresh", reader, notices };
      index.exec("ROLLBACK");
    }
    return { type: "failed", kind: "unwritable", reason: "other processes use it for other documents" };
  } catch (error) {
    if (isDamage(error)) return { type: "failed", kind: "damaged", reason: messageOf(error) };
    if (isUnwritable(error) && path !== ":memory:")
      return { type: "failed", kind: "unwritable", reason: messageOf(error) };
    throw error;
  }
}

/** Whether nobody took documents out or put others in between the refresh and now. */
function holdsAll(reader: Reader, files: readonly FoundFile[], unreadable: number): boolean {
  const known = reader.states();
  const missing = files.filter((file) => !known.has(file.path)).length;
  return missing === unreadable && known.size === files.length - missing;
}

/** Nothing is deleted: the damaged file and its journal keep their content under another name. */
function movedAside(path: string, reason: string, now: number): string[] {
  const aside = `${path}.damaged-${now}`;
  try {
    for (const suffix of ["", "-wal", "-shm"])
      if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
    return [`the index ${path} was damaged (${reason}); it was moved to ${aside} and built anew`];
  } catch (error) {
    return [`the index ${path} is damaged (${reason}) and cannot be moved aside (${messageOf(error)})`];
  }
}

const inMemory = (path: string, reason: string): string =>
  `the index ${path} cannot be used (${reason}); it is kept in memory for this run`;
