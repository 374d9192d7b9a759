import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { CommanderError } from "commander";
import { ask } from "./ask.ts";
import type { Given } from "./choices.ts";
import { commandLine } from "./command-line.ts";
import { Cancelled, UsageError } from "./errors.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { nextSteps } from "./next-steps.ts";
import { callingPackageManager } from "./package-manager.ts";
import { projectFiles } from "./project-files.ts";
import { runProgram } from "./run-program.ts";
import { settle } from "./settle.ts";
import { startRepository } from "./start-repository.ts";
import { assertFree } from "./target.ts";
import { TEMPLATES, templateNamed, templatesIn } from "./templates.ts";
import { writeFiles } from "./write-files.ts";

/** `create-pool` with these arguments; gives the exit code. */
export async function main(
  args: readonly string[],
  io: Io = {
    cwd: process.cwd(),
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
  },
  folderOfTemplates = TEMPLATES,
): Promise<ExitCode> {
  try {
    return await create(args, io, folderOfTemplates);
  } catch (error) {
    // Commander and the questions have said what there is to say.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (error instanceof Cancelled) return EXIT.interrupted;
    io.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

async function create(args: readonly string[], io: Io, folderOfTemplates: string): Promise<ExitCode> {
  const { cwd, env } = io;
  const templates = templatesIn(folderOfTemplates);
  const packageManager = callingPackageManager(env.npm_config_user_agent);
  const around = { cwd, templates, packageManager };
  const given = commandLine(args, { io, version: version(), templates });
  // What flags say is checked before anything is asked.
  check(given, around);
  const asks = !given.yes && io.stdin.isTTY === true && io.stdout.isTTY === true;
  const choices = settle(asks ? await ask(given, { io, templates, packageManager }) : given, around);

  const path = resolve(cwd, choices.folder);
  const folder = relative(cwd, path);
  assertFree(path, choices.folder);
  try {
    writeFiles(path, projectFiles(templateNamed(choices.template, templates), choices));
  } catch (error) {
    throw new Error(
      `The project could not be written, and nothing was left behind: ${(error as Error).message}`,
    );
  }
  if (choices.git) {
    const problem = await startRepository(path);
    if (problem !== undefined) io.stderr.write(`${problem}\n`);
  }
  const installed = choices.install && (await install(choices.packageManager, path));
  io.stdout.write(`\n${nextSteps(choices, { folder, installed })}`);
  if (choices.install && !installed) {
    io.stderr.write(
      `${choices.packageManager} install failed. The project is there: install it, and go on.\n`,
    );
    return EXIT.failed;
  }
  return EXIT.done;
}

function check(given: Given, around: Parameters<typeof settle>[1]): void {
  const { folder } = settle(given, around);
  if (given.folder !== undefined) assertFree(resolve(around.cwd, folder), folder);
}

const install = async (packageManager: string, cwd: string): Promise<boolean> =>
  (await runProgram(packageManager, ["install"], { cwd, show: true })).code === 0;

function version(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
