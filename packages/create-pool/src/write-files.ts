import { existsSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ProjectFile } from "./project-files.ts";

/**
 * Writes all files below a folder, or none: what was made is taken back when one cannot be written, folders included,
 * and nothing else is touched. A file that is there already is an error.
 */
export function writeFiles(folder: string, files: readonly ProjectFile[]): void {
  const made: (() => void)[] = [];
  try {
    for (const file of files) {
      const path = join(folder, file.path);
      makeFolder(dirname(path), made);
      const content = file.content();
      // `wx`: only where there is none. Half a file is taken back as well.
      made.push(() => rmSync(path, { force: true }));
      writeFileSync(path, content, { flag: "wx" });
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") made.pop();
    for (const undo of made.reverse()) quietly(undo);
    throw error;
  }
}

function makeFolder(path: string, made: (() => void)[]): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path), made);
  mkdirSync(path);
  made.push(() => rmdirSync(path));
}

/** What cannot be taken back is left: the error that led here is the one to tell. */
function quietly(undo: () => void): void {
  try {
    undo();
  } catch {
    // A folder into which somebody else has put something stays.
  }
}
