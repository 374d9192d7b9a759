import { statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { ConfigurationError } from "@agentpool/core";
import { isGlob, type Pattern, parsePattern } from "./pattern.ts";

/** One of the paths that a corpus is made of, absolute. */
export type Source =
  | { readonly type: "file"; readonly path: string }
  | { readonly type: "folder"; readonly path: string }
  /** `path` is the folder where the wildcards begin; it may be absent. */
  | { readonly type: "glob"; readonly path: string; readonly pattern: Pattern };

/** What a path names: what is there first, then a glob. Throws {@link ConfigurationError} where it is neither. */
export function sourceOf(path: string, cwd: string): Source {
  if (path.trim() === "")
    throw new ConfigurationError("a corpus path is empty; give a folder, a file or a glob");
  const absolute = resolve(cwd, path);
  const stats = statSync(absolute, { throwIfNoEntry: false });
  if (stats) return { type: stats.isDirectory() ? "folder" : "file", path: absolute };
  if (isGlob(path)) {
    const pattern = parsePattern(path);
    return { type: "glob", path: resolve(cwd, pattern.base), pattern };
  }
  throw new ConfigurationError(
    `corpus path "${path}" is not there (looked for ${absolute}); give a folder, a file or a glob`,
  );
}

/** The working folder; where a source lies outside it, the folder that all sources have in common. */
export function rootOf(sources: readonly Source[], cwd: string): string {
  const bases = sources.map((source) => (source.type === "file" ? dirname(source.path) : source.path));
  if (bases.every((base) => within(cwd, base))) return cwd;
  return bases.reduce((common, base) => {
    let at = common;
    while (!within(at, base)) at = dirname(at);
    return at;
  });
}

const within = (folder: string, path: string): boolean => {
  const inside = relative(folder, path);
  return inside === "" || (!inside.startsWith("..") && resolve(folder, inside) === path);
};
