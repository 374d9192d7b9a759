import { type Stats, statSync } from "node:fs";

/** What is at a path, links followed; undefined where there is nothing or it can't be seen. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** `EACCES` and the like; what else went wrong in its own words. */
export const codeOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.message : String(error));
