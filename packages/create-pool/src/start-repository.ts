import { runProgram } from "./run-program.ts";

/** Makes a project's folder a git repository, unless it is in one. Says what went wrong, if something did. */
export async function startRepository(folder: string): Promise<string | undefined> {
  const inside = await runProgram("git", ["rev-parse", "--is-inside-work-tree"], { cwd: folder });
  if (inside.code === 0) return undefined;
  const made = await runProgram("git", ["init", "--quiet"], { cwd: folder });
  return made.code === 0 ? undefined : "No git repository was made: git init failed, or there is no git.";
}
