import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The titles of all tests below a folder, but for those of the file `except`. What differs between the cases of one test is `…`:
 * `may be %s` and `may be ${kind}` are both `may be …`.
 */
export function testTitles(folder: string, except: string): ReadonlySet<string> {
  const titles = testFiles(folder, except).flatMap((path) => titlesIn(readFileSync(path, "utf8")));
  return new Set(titles);
}

function testFiles(folder: string, except: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return /^(node_modules|dist|\..*)$/.test(entry.name) ? [] : testFiles(path, except);
    return entry.name.endsWith(".test.ts") && path !== except ? [path] : [];
  });
}

/** A text that is the first argument of a call and is followed by a function, or by options and a function. */
const TITLE = /\(\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1,\s*(?:async\b|\(|function\b|\{)/g;

const titlesIn = (source: string): string[] =>
  [...source.matchAll(TITLE)].map(([, , title]) =>
    title!.replace(/\$\{[^}]*\}|%[sdijo]/g, "…").replace(/\\(["'`])/g, "$1"),
  );
