import { readFileSync } from "node:fs";
import { type Operation, run } from "effection";
import { commandLine, type Invocation } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { useOutput } from "./output.ts";
import { printable } from "./printable.ts";
import { explain } from "./trouble.ts";

/** `pool` with these arguments; gives the exit code once everything was written and everything has ended. */
export const main = (
  args: readonly string[],
  io: Io = {
    cwd: process.cwd(),
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
  },
): Promise<ExitCode> => run(() => pool(args, io));

function* pool(args: readonly string[], io: Io): Operation<ExitCode> {
  const stdout = yield* useOutput(io.stdout);
  const stderr = yield* useOutput(io.stderr);
  let code: ExitCode;
  try {
    code = yield* invoked(args, io);
  } catch (error) {
    const { message, exitCode } = explain(error);
    if (message !== "") stderr.write(`${printable(message)}\n`);
    if (io.env.POOL_DEBUG && error instanceof Error) stderr.write(`${error.stack}\n`);
    else if (exitCode === EXIT.failed) stderr.write("(POOL_DEBUG=1 shows where it happened)\n");
    code = exitCode;
  }
  yield* stdout.flush();
  yield* stderr.flush();
  return code;
}

function* invoked(args: readonly string[], io: Io): Operation<ExitCode> {
  const invocations: Invocation[] = [];
  const program = commandLine(io, version(), (invocation) => invocations.push(invocation));
  if (args.length === 0) {
    program.outputHelp({ error: true });
    return EXIT.usage;
  }
  program.parse(args, { from: "user" });
  for (const invocation of invocations) return yield* invocation();
  return EXIT.done;
}

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return manifest.version;
}
