import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";

/** Ignore files that apply in a folder, the outermost first. */
export type IgnoreRules = readonly { readonly folder: string; readonly rules: Ignore }[];

/**
 * Whether ignore files leave a path out, by the rules of
 * [gitignore](https://git-scm.com/docs/gitignore#_pattern_format): the innermost file that says anything wins.
 */
export function ignored(stack: IgnoreRules, path: string, type: "file" | "folder"): boolean {
  let out = false;
  for (const { folder, rules } of stack) {
    const inside = posix(relative(folder, path));
    if (inside === "" || inside === ".." || inside.startsWith("../")) continue;
    const answer = rules.test(type === "folder" ? `${inside}/` : inside);
    if (answer.ignored) out = true;
    else if (answer.unignored) out = false;
  }
  return out;
}

/** The stack for a folder: its own `.gitignore` on top, if it has one. */
export function entering(stack: IgnoreRules, folder: string): IgnoreRules {
  try {
    const text = readFileSync(join(folder, ".gitignore"), "utf8");
    return [...stack, { folder, rules: ignore().add(text) }];
  } catch {
    return stack;
  }
}

/**
 * The rules of the folders above, up to the repository's top, unless they would leave the folder itself out: what
 * is asked for by name is wanted, `node_modules/some-package` included.
 */
export function rulesAbove(folder: string): IgnoreRules {
  const above: string[] = [];
  for (let at = folder; !existsSync(join(at, ".git")); at = dirname(at)) {
    const parent = dirname(at);
    if (parent === at) return [];
    above.unshift(parent);
  }
  const stack = above.reduce<IgnoreRules>(entering, []);
  return leavesOut(stack, folder) ? [] : stack;
}

/** Whether the rules leave out the folder or any of the folders it is in. */
function leavesOut(stack: IgnoreRules, folder: string): boolean {
  const top = stack[0]?.folder;
  for (let at = folder; top && at !== top && at !== dirname(at); at = dirname(at))
    if (ignored(stack, at, "folder")) return true;
  return false;
}

export const posix = (path: string): string => (sep === "/" ? path : path.split(sep).join("/"));
