import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { type Operation, run } from "effection";
import { commandLine, type Invocation } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { Console, Io } from "./io.ts";
import { outputOn } from "./output.ts";
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
  const console: Console = { ...io, out: outputOn(io.stdout), err: outputOn(io.stderr) };
  const code = yield* answered(args, console);
  const unwritten = yield* console.out.flush();
  if (unwritten && code === EXIT.done)
    console.err.write(`Nothing could be written to stdout: ${unwritten.message}\n`);
  yield* console.err.flush();
  return unwritten && code === EXIT.done ? EXIT.failed : code;
}

function* answered(args: readonly string[], console: Console): Operation<ExitCode> {
  try {
    return yield* invoked(args, console);
  } catch (error) {
    const { message, exitCode, unforeseen } = explain(error);
    if (message !== "") console.err.write(`${printable(message)}\n`);
    if (console.env.POOL_DEBUG && error instanceof Error) console.err.write(`${inspect(error)}\n`);
    else if (unforeseen) console.err.write("(POOL_DEBUG=1 shows where it happened)\n");
    return exitCode;
  }
}

function* invoked(args: readonly string[], console: Console): Operation<ExitCode> {
  const invocations: Invocation[] = [];
  const program = commandLine(console, version(), (invocation) => invocations.push(invocation));
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
