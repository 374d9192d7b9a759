import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Operation, until } from "effection";

/** A report to keep: `reports/<run>.md` for people, `reports/<run>.json` for programs. */
export interface Report {
  readonly run: string;
  readonly markdown: string;
  readonly json: string;
}

export interface SavedReports {
  /** The files that were written, from the working folder. */
  readonly files: readonly string[];
  /** Why one could not be, in words. */
  readonly problem: string | undefined;
}

/** Writes a report's files, each whole or not at all. What goes wrong is told, not thrown: the brief is still there. */
export function* saveReports(cwd: string, { run, markdown, json }: Report): Operation<SavedReports> {
  const files: string[] = [];
  for (const [ending, text] of [
    ["md", markdown],
    ["json", json],
  ] as const) {
    const name = join("reports", `${run}.${ending}`);
    const problem = yield* until(write(join(cwd, "reports"), join(cwd, name), text));
    if (problem !== undefined) return { files, problem: `${name} could not be written: ${problem}` };
    files.push(name);
  }
  return { files, problem: undefined };
}

async function write(folder: string, path: string, text: string): Promise<string | undefined> {
  const part = `${path}.part`;
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(part, text);
    await rename(part, path);
    return undefined;
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    return (error as Error).message;
  }
}
