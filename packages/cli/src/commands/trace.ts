import { isPrivate, type StoredEntry } from "@agentpool/journal";
import type { Operation } from "effection";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Console } from "../io.ts";
import { paletteFor } from "../palette.ts";
import { named } from "../record/labels.ts";
import { traceLine } from "../record/trace-line.ts";
import { type StoreFlags, useRecordedRun } from "../record/use-store.ts";
import { UsageError } from "../usage-error.ts";

export interface TraceFlags extends StoreFlags {
  readonly json?: boolean;
  /** Only what is about this agent. */
  readonly agent?: string;
  /** Only events of these types, or of all that begin so: `call:refused`, `call:`. */
  readonly type?: readonly string[];
}

/** `pool trace`: everything that happened in a run, in its order. */
export function* traceCommand(io: Console, meant: string, flags: TraceFlags): Operation<ExitCode> {
  const { store, run } = yield* useRecordedRun(io, flags, meant);
  const palette = paletteFor(io.stdout, io.env);
  const entries = yield* store.record(run);
  checkAgent(entries, run, flags.agent);
  const start = entries[0]?.at ?? 0;
  let told = 0;
  entries.forEach((entry, index) => {
    if (isPrivate(entry) || !isAsked(entry, flags)) return;
    told++;
    io.out.write(
      flags.json
        ? `${JSON.stringify({ index, ...entry })}\n`
        : `${traceLine(entry, start, palette, io.stdout.columns)}\n`,
    );
  });
  if (told === 0) io.err.write(`Nothing of that kind is on record. There is ${typesIn(entries)}.\n`);
  return EXIT.done;
}

function checkAgent(entries: readonly StoredEntry[], run: string, asked: string | undefined): void {
  const agents = entries.flatMap((entry) => (entry.type === "agent:spawned" ? [entry.agent] : []));
  if (asked === undefined || agents.includes(asked)) return;
  throw new UsageError(`There is no agent ${asked} in run ${run}; it has ${named(agents)}.`);
}

const typesIn = (entries: readonly StoredEntry[]): string =>
  [...new Set(entries.flatMap((entry) => (isPrivate(entry) ? [] : [entry.type])))].sort().join(", ");

const isAsked = (entry: StoredEntry, { agent, type }: TraceFlags): boolean =>
  (agent === undefined || ("agent" in entry && entry.agent === agent)) &&
  (type === undefined ||
    type.some((wanted) => entry.type === wanted || (wanted.endsWith(":") && entry.type.startsWith(wanted))));
