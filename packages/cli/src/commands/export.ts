import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { isPrivate } from "@agentpool/journal";
import type { Operation } from "effection";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Console } from "../io.ts";
import { type StoreFlags, useRecordedRun } from "../record/use-store.ts";
import { UnwritableError } from "../unwritable-error.ts";

export interface ExportFlags extends StoreFlags {
  /** A file to write to, in place of stdout. */
  readonly output?: string;
}

/** `pool export`: one run as one JSON document, with everything that may leave the machine. */
export function* exportCommand(io: Console, meant: string, flags: ExportFlags): Operation<ExitCode> {
  const { store, run } = yield* useRecordedRun(io, flags, meant);
  const { view, entries: all } = yield* store.export(run);
  const entries = all.filter((entry) => !isPrivate(entry));
  const document = { format: "agentpool-run", version: 1, run: view, entries };
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (flags.output === undefined) io.out.write(text);
  else {
    write(resolve(io.cwd, flags.output), flags.output, text);
    io.err.write(`Wrote run ${run} to ${flags.output}.\n`);
  }
  return EXIT.done;
}

function write(path: string, named: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new UnwritableError(`${named} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}
