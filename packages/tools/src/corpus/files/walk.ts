import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, join, relative } from "node:path";
import type { Operation } from "effection";
import { breather } from "../../breather.ts";
import { codeOf, statOf } from "./disk.ts";
import { entering, type IgnoreRules, ignored, posix, rulesAbove } from "./ignoring.ts";
import type { Pattern } from "./pattern.ts";
import type { Source } from "./source.ts";

export interface Visitor {
  /** `real` is its path without links, where that is known. */
  file(path: string, real?: string): void;
  /** A folder that cannot be listed. */
  unlistable(path: string, reason: string): void;
}

interface Folder {
  readonly path: string;
  readonly rules: IgnoreRules;
}

interface Item {
  readonly path: string;
  readonly type: "file" | "folder";
  readonly link: boolean;
}

/**
 * Visits the files of a folder or a glob. Links are followed after everything real, each folder once, so that loops
 * end and a file keeps its own path. Ignore files hold; `node_modules` and dot folders are not entered, unless the
 * glob spells out their names.
 *
 * @param extra rules that hold everywhere, whatever a glob says
 */
export function* walk(
  source: Exclude<Source, { type: "file" }>,
  extra: IgnoreRules,
  visitor: Visitor,
): Operation<void> {
  if (!existsSync(source.path)) return;
  const pattern = source.type === "glob" ? source.pattern : undefined;
  const breathe = breather();
  const entered = new Set<string>();
  const linkedFiles: string[] = [];
  const linkedFolders: Folder[] = [];
  const folders: Folder[] = [{ path: source.path, rules: rulesAbove(source.path) }];
  while (folders.length) {
    yield* breathe();
    const folder = folders.pop()!;
    const real = realpathSync(folder.path);
    if (!entered.has(real)) {
      entered.add(real);
      const rules = entering(folder.rules, folder.path);
      const inner: Folder[] = [];
      for (const item of itemsOf(folder.path, visitor)) {
        const inside = posix(relative(source.path, item.path));
        if (item.type === "file") {
          if (!isWanted(item.path, inside, rules, pattern)) continue;
          if (item.link) linkedFiles.push(item.path);
          else visitor.file(item.path, join(real, basename(item.path)));
        } else if (!ignored(extra, item.path, "folder")) {
          const rulesInside = rulesOf(item.path, inside, rules, pattern);
          if (rulesInside) (item.link ? linkedFolders : inner).push({ path: item.path, rules: rulesInside });
        }
      }
      folders.push(...inner.reverse());
    }
    if (folders.length > 0) continue;
    for (const path of linkedFiles.splice(0)) visitor.file(path);
    folders.push(...linkedFolders.splice(0).reverse());
  }
}

function isWanted(path: string, inside: string, rules: IgnoreRules, pattern: Pattern | undefined): boolean {
  if (pattern ? !pattern.matches(inside) : basename(path).startsWith(".")) return false;
  return !ignored(rules, path, "file");
}

/** The rules to enter a folder with; undefined: it is not entered. */
function rulesOf(
  path: string,
  inside: string,
  rules: IgnoreRules,
  pattern: Pattern | undefined,
): IgnoreRules | undefined {
  if (pattern && !pattern.enters(inside)) return undefined;
  const out = ignored(rules, path, "folder");
  if (pattern?.names(inside)) return out ? [] : rules;
  const name = basename(path);
  return out || name.startsWith(".") || name === "node_modules" ? undefined : rules;
}

/** What a folder holds, by name; of a link, what it leads to. A link that leads nowhere counts as a file. */
function itemsOf(folder: string, visitor: Visitor): Item[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((entry) => {
        const path = join(folder, entry.name);
        const link = entry.isSymbolicLink();
        const isFolder = link ? statOf(path)?.isDirectory() : entry.isDirectory();
        return { path, type: isFolder ? "folder" : "file", link };
      });
  } catch (error) {
    visitor.unlistable(folder, codeOf(error));
    return [];
  }
}
