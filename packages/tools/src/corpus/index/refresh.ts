import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import type { Operation } from "effection";
import { breather } from "../../breather.ts";
import { extract } from "../extract/extract.ts";
import { codeOf } from "../files/disk.ts";
import type { FoundFile } from "../files/file-list.ts";
import type { Index } from "./database.ts";
import { statesOf } from "./reader.ts";
import { type Entry, type FileState, inTransaction, type Writer, writerOf } from "./writer.ts";

/** A change to an index, ready to be written. */
type Change =
  | { readonly type: "put"; readonly entry: Entry }
  | { readonly type: "touch"; readonly state: FileState }
  | { readonly type: "remove"; readonly path: string };

/** A file that changes within this many milliseconds of being read may do so without its time changing. */
const timeGrain = 2_000;
const mostAtOnce = { files: 200, bytes: 2_000_000 };

/**
 * Brings an index to the state of these files: what did not change by size and time is kept, what is the same by
 * digest is kept, the rest is read. Written in small transactions, so that it can be halted at any point, resumed,
 * and done by several processes at once. Returns notices.
 */
export function* refresh(
  index: Index,
  files: readonly FoundFile[],
  now: () => number,
  progress?: (done: number, total: number) => void,
): Operation<string[]> {
  const notices: string[] = [];
  const known = statesOf(index);
  const writer = writerOf(index);
  const breathe = breather();
  const wanted = new Set(files.map((file) => file.path));
  let changes: Change[] = [...known.keys()]
    .filter((path) => !wanted.has(path))
    .map((path) => ({ type: "remove", path }));
  let bytes = 0;

  const write = () => {
    if (changes.length) inTransaction(index, () => applyAll(writer, changes));
    changes = [];
    bytes = 0;
  };

  const changed = files.filter((file) => !isUnchanged(file, known.get(file.path)));
  for (const [done, file] of changed.entries()) {
    yield* breathe();
    const read = readFile(file);
    if (read.type === "unreadable") {
      notices.push(`${file.path} was left out: cannot be read (${read.reason})`);
      changes.push({ type: "remove", path: file.path });
    } else {
      changes.push(yield* changeOf(file, read.bytes, known.get(file.path), now()));
      bytes += read.bytes.length;
    }
    if (changes.length >= mostAtOnce.files || bytes >= mostAtOnce.bytes) {
      write();
      progress?.(done + 1, changed.length);
    }
  }
  write();
  return notices;
}

function isUnchanged(file: FoundFile, known: FileState | undefined): boolean {
  if (!known || known.bytes !== file.bytes || known.modified !== file.modified) return false;
  return known.seen - known.modified > timeGrain;
}

type Read =
  | { readonly type: "read"; readonly bytes: Uint8Array }
  | { readonly type: "unreadable"; readonly reason: string };

function readFile(file: FoundFile): Read {
  try {
    return { type: "read", bytes: readFileSync(file.absolute) };
  } catch (error) {
    return { type: "unreadable", reason: codeOf(error) };
  }
}

function* changeOf(
  file: FoundFile,
  bytes: Uint8Array,
  known: FileState | undefined,
  seen: number,
): Operation<Change> {
  const digest = createHash("sha256").update(bytes).digest("base64url");
  const state: FileState = { path: file.path, bytes: file.bytes, modified: file.modified, digest, seen };
  if (known?.digest === digest) return { type: "touch", state };
  const extracted = yield* extract(file, bytes);
  if (extracted.type === "nothing")
    return { type: "put", entry: { ...state, type: "left_out", reason: extracted.reason } };
  const { title, lines, headings, notice } = extracted;
  const kind = file.kind === "unknown" ? "text" : file.kind;
  const entry: Entry = {
    ...state,
    type: "document",
    kind,
    title: title ?? nameOf(file.path),
    lines,
    headings,
    notice,
  };
  return { type: "put", entry };
}

function applyAll(writer: Writer, changes: readonly Change[]): void {
  for (const change of changes) {
    if (change.type === "put") writer.put(change.entry);
    else if (change.type === "touch") writer.touch(change.state);
    else writer.remove(change.path);
  }
}

/** A document that has no title is called by its file. */
const nameOf = (path: string): string => basename(path, extname(path)) || basename(path);
