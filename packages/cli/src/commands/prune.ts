import type { Operation } from "effection";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Console } from "../io.ts";
import { oneLine } from "../printable.ts";
import { type StoreFlags, useStore } from "../record/use-store.ts";
import { UsageError } from "../usage-error.ts";
import { counted } from "../words.ts";

export interface PruneFlags extends StoreFlags {
  /** Only runs older than this: `30d`, `12h`. */
  readonly olderThan?: string;
  /** Keeps so many of the newest. */
  readonly keep?: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** `pool prune`: takes old runs off the record. */
export function* pruneCommand(io: Console, flags: PruneFlags): Operation<ExitCode> {
  const { olderThan, keep, dryRun = false } = flags;
  if (olderThan === undefined && keep === undefined)
    throw new UsageError("Say which runs may go: --older-than 30d, --keep 100, or both.");
  const store = yield* useStore(io, flags);
  const runs = store
    ? yield* store.prune({
        dryRun,
        ...(keep === undefined ? {} : { keep }),
        ...(olderThan === undefined ? {} : { before: Date.now() - millisecondsOf(olderThan) }),
      })
    : [];
  if (flags.json) io.out.write(`${JSON.stringify(runs, null, 2)}\n`);
  else for (const { id, question } of runs) io.out.write(`${id}  ${oneLine(question, 80)}\n`);
  io.err.write(
    dryRun ? `${counted(runs.length, "run")} would go.\n` : `${counted(runs.length, "run")} removed.\n`,
  );
  return EXIT.done;
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

function millisecondsOf(age: string): number {
  const [, count, unit] = /^(\d+)\s*([mhdw])$/.exec(age.trim()) ?? [];
  if (count === undefined)
    throw new UsageError(
      `--older-than: found ${JSON.stringify(age)}; accepted is a number with m, h, d or w, such as 30d.`,
    );
  return Number(count) * UNITS[unit as keyof typeof UNITS];
}
