import type { RunSummary } from "@agentpool/journal";
import type { Operation } from "effection";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Console } from "../io.ts";
import { type Palette, paletteFor } from "../palette.ts";
import { oneLine } from "../printable.ts";
import { statusLabel } from "../record/labels.ts";
import { type StoreFlags, useStore } from "../record/use-store.ts";
import { table } from "../table.ts";
import { dollars, short } from "../words.ts";

export interface RunsFlags extends StoreFlags {
  readonly json?: boolean;
  readonly limit?: number;
}

/** `pool runs`: what is on record, newest first. */
export function* runsCommand(io: Console, flags: RunsFlags): Operation<ExitCode> {
  const store = yield* useStore(io, flags);
  const runs = store ? yield* store.runs({ limit: flags.limit ?? (flags.json ? undefined : 50) }) : [];
  if (flags.json) io.out.write(`${JSON.stringify(runs, null, 2)}\n`);
  else if (runs.length === 0) io.err.write("No run is on record here yet; pool run begins one.\n");
  else {
    const width = io.stdout.columns;
    const rows = runs.map((run) => rowOf(run, paletteFor(io.stdout, io.env), width ?? QUESTION));
    io.out.write(table([HEAD, ...rows], { width, column: HEAD.length - 1 }));
  }
  return EXIT.done;
}

/** Columns of a question where the screen does not say how many there are. */
const QUESTION = 60;

const HEAD = ["run", "status", "agents", "turns", "calls", "refused", "tokens", "cost", "question"];

const rowOf = (run: RunSummary, palette: Palette, width: number): string[] => [
  run.id,
  statusLabel(run.status, palette),
  String(run.agents),
  String(run.turns),
  String(run.calls),
  String(run.refusals),
  short(run.tokens),
  run.cost === null ? "" : dollars(run.cost),
  oneLine(run.question, width),
];
