import { relative, resolve } from "node:path";
import { PullError, type PulledModel, pullModel } from "@agentpool/models";
import { type Operation, race, withResolvers } from "effection";
import { downloadBar, size } from "../download-bar.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { useInterrupts } from "../interrupts.ts";
import type { Console } from "../io.ts";
import { printable } from "../printable.ts";
import { counted } from "../words.ts";

export interface PullFlags {
  readonly to?: string;
  readonly sha256?: string;
  readonly json?: boolean;
}

/** `pool models pull`: fetches a model file, and prints the name that `model` takes. */
export function* modelsPullCommand(io: Console, uri: string, flags: PullFlags): Operation<ExitCode> {
  const interrupted = withResolvers<undefined>();
  yield* useInterrupts(() => interrupted.resolve(undefined));
  const bar = downloadBar(io);
  const to = resolve(io.cwd, flags.to ?? "models");
  const { sha256 } = flags;
  let pulled: PulledModel | undefined;
  try {
    pulled = yield* race([
      pullModel(uri, { to, onBytes: bar.at, env: io.env, ...(sha256 === undefined ? {} : { sha256 }) }),
      interrupted.operation,
    ]);
  } catch (error) {
    if (!(error instanceof PullError)) throw error;
    bar.end();
    io.err.write(`${printable(error.message)}\n`);
    return EXIT.failed;
  } finally {
    bar.end();
  }
  if (pulled === undefined) {
    io.err.write("Stopped; what has come is kept, and the same command goes on from there.\n");
    return EXIT.interrupted;
  }
  const path = shown(pulled.path, io.cwd);
  if (flags.json) {
    const files = pulled.files.map((file) => ({ ...file, path: shown(file.path, io.cwd) }));
    io.out.write(`${JSON.stringify({ model: `llama:${path}`, files }, null, 2)}\n`);
  } else {
    io.err.write(`${inWords(pulled)}\n`);
    io.out.write(`llama:${path}\n`);
  }
  return EXIT.done;
}

function shown(path: string, cwd: string): string {
  const near = relative(cwd, path);
  return near.startsWith("..") ? path : near;
}

function inWords({ files }: PulledModel): string {
  const bytes = size(files.reduce((sum, file) => sum + file.size, 0));
  const what = files.length === 1 ? bytes : `${counted(files.length, "part")}, ${bytes}`;
  const came = files.every(({ fetched }) => !fetched) ? "It is there already" : "Fetched";
  const checked = files.every(({ verified }) => verified)
    ? "its SHA-256 is the one that is published or given"
    : `nobody published a digest for it; its SHA-256 is ${files.map(({ sha256 }) => sha256).join(", ")}`;
  return `${came}: ${what}; ${checked}.`;
}
