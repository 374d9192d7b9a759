import { resolve } from "node:path";
import type { Operation } from "effection";
import ignore from "ignore";
import { FileList, type FoundFile } from "./file-list.ts";
import { type IgnoreRules, ignored } from "./ignoring.ts";
import { rootOf, sourceOf } from "./source.ts";
import { walk } from "./walk.ts";

export interface FoundFiles {
  /** The absolute folder that paths are relative to. */
  readonly root: string;
  /** By path. */
  readonly files: readonly FoundFile[];
  readonly notices: readonly string[];
}

export interface FindOptions {
  /** Folders, files and globs; one that starts with `!` leaves out what it matches. */
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly ignore: readonly string[];
  readonly maxFileBytes: number;
  /** The index' file: it and those beside it are nobody's documents. */
  readonly index?: string | undefined;
}

/** Every file that the paths name, each once. Throws a `ConfigurationError` for a path that is not there. */
export function* findFiles(options: FindOptions): Operation<FoundFiles> {
  const wanted = options.paths.filter((path) => !path.startsWith("!"));
  const unwanted = options.paths.filter((path) => path.startsWith("!")).map((path) => path.slice(1));
  // Without a slash at its end, wherever it came from.
  const cwd = resolve(options.cwd);
  const sources = wanted.map((path) => sourceOf(path, cwd));
  const root = rootOf(sources, cwd);
  const extra = rulesAgainst([...options.ignore, ...unwanted], root);
  const list = new FileList(root, options.maxFileBytes);
  for (const [index, source] of sources.entries()) {
    if (source.type === "file") {
      list.add(source.path, "name");
      continue;
    }
    const before = list.size;
    yield* walk(source, extra, {
      file: (path, real) => {
        if (!ignored(extra, path, "file") && !isOfIndex(path, options.index))
          list.add(path, source.type, real);
      },
      unlistable: (path, reason) => list.leaveOut(path, `cannot be listed (${reason})`),
    });
    if (source.type === "glob" && list.size === before)
      list.remark(`${wanted[index]} matches no further document`);
  }
  return { root, files: list.all(), notices: list.notices() };
}

const rulesAgainst = (patterns: readonly string[], folder: string): IgnoreRules =>
  patterns.length ? [{ folder, rules: ignore().add([...patterns]) }] : [];

/** `index.db`, `index.db-wal`, `index.db.damaged-1700000000000`. */
const isOfIndex = (path: string, index: string | undefined): boolean =>
  index !== undefined &&
  path.startsWith(index) &&
  /^(?:-wal|-shm|\.damaged-.*)?$/.test(path.slice(index.length));
