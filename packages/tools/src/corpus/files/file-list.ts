import { existsSync, lstatSync, realpathSync } from "node:fs";
import { basename, extname, relative } from "node:path";
import type { DocumentKind } from "../corpus.ts";
import { statOf } from "./disk.ts";
import { posix } from "./ignoring.ts";
import { kindOf, knownKinds } from "./kinds.ts";

export interface FoundFile {
  /** Relative to the corpus' root, with `/`. */
  readonly path: string;
  readonly absolute: string;
  /** What its name promises; `unknown` where a glob or a name asks for it all the same. */
  readonly kind: DocumentKind | "unknown";
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/** How a file was asked for: a folder gives known kinds only. */
export type AskedBy = "name" | "glob" | "folder";

type Verdict =
  | { readonly type: "take"; readonly file: FoundFile; readonly real: string }
  | { readonly type: "left_out"; readonly reason: string }
  | { readonly type: "other_kind"; readonly extension: string };

/** Collects files, each once, and says what was left out. */
export class FileList {
  private readonly root: string;
  private readonly maxFileBytes: number;
  private readonly files = new Map<string, FoundFile>();
  private readonly remarks: string[] = [];
  private readonly otherKinds = new Map<string, number>();

  constructor(root: string, maxFileBytes: number) {
    this.root = root;
    this.maxFileBytes = maxFileBytes;
  }

  /** @param real its path without links, where that is known */
  add(path: string, by: AskedBy, real?: string): void {
    const verdict = this.verdict(path, by, real);
    if (verdict.type === "left_out") this.leaveOut(path, verdict.reason);
    else if (verdict.type === "other_kind")
      this.otherKinds.set(verdict.extension, (this.otherKinds.get(verdict.extension) ?? 0) + 1);
    else if (!this.files.has(verdict.real)) this.files.set(verdict.real, verdict.file);
  }

  leaveOut(path: string, reason: string): void {
    const remark = `${posix(relative(this.root, path)) || "."} was left out: ${reason}`;
    if (!this.remarks.includes(remark)) this.remarks.push(remark);
  }

  remark(text: string): void {
    this.remarks.push(text);
  }

  get size(): number {
    return this.files.size;
  }

  /** By path. */
  all(): FoundFile[] {
    return [...this.files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  notices(): string[] {
    return [...this.remarks, ...this.othersNotice()];
  }

  private verdict(path: string, by: AskedBy, real: string | undefined): Verdict {
    const kind = kindOf(path) ?? "unknown";
    if (by === "folder" && (kind === "unknown" || (kind === "code" && isCompiled(path))))
      return { type: "other_kind", extension: extname(path).toLowerCase() || basename(path) };
    const stats = statOf(path);
    if (!stats) return { type: "left_out", reason: whyMissing(path) };
    if (!stats.isFile()) return { type: "left_out", reason: "not a regular file" };
    if (stats.size > this.maxFileBytes)
      return {
        type: "left_out",
        reason: `${megabytes(stats.size)} is more than ${megabytes(this.maxFileBytes)} (maxFileBytes)`,
      };
    const file: FoundFile = {
      path: posix(relative(this.root, path)),
      absolute: path,
      kind,
      bytes: stats.size,
      modified: stats.mtimeMs,
    };
    return { type: "take", file, real: real ?? realpathSync(path) };
  }

  private othersNotice(): string[] {
    const kinds = [...this.otherKinds].sort((a, b) => b[1] - a[1]);
    const total = kinds.reduce((sum, [, count]) => sum + count, 0);
    if (total === 0) return [];
    const named = kinds.slice(0, 6).map(([extension, count]) => `${extension} (${count})`);
    const what = total === 1 ? "1 file of another kind was" : `${total} files of other kinds were`;
    return [
      `${what} left out: ${named.join(", ")}${kinds.length > 6 ? ", …" : ""}; a folder gives ${knownKinds}`,
    ];
  }
}

/** Compiled code whose declarations, with the comments, sit beside it. */
const isCompiled = (path: string): boolean =>
  /\.m?js$/.test(path) && existsSync(path.replace(/\.m?js$/, ".d.ts"));

function whyMissing(path: string): string {
  if (isLink(path)) return "a link that leads nowhere";
  return path.includes("\ufffd") ? "its name is not UTF-8" : "it cannot be found";
}

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

const megabytes = (bytes: number): string => {
  const size = bytes / 1024 / 1024;
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} MB`;
};
