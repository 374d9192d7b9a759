import { type Engine, UnmetError } from "../engine/engine.ts";
import { LeaseError, UnknownRunError } from "../values/errors.ts";
import { TABLES } from "../values/tables.ts";
import type { RunSummary } from "../values/views.ts";
import { giveLease, type Lease, takeLease } from "./lease.ts";
import { listRuns, summaryOfRun } from "./list-runs.ts";

export interface PruneOptions {
  /** Only runs that ended, or were interrupted, before this; milliseconds since the epoch. */
  readonly before?: number;
  /** Keeps this many of the newest runs, whatever their age. */
  readonly keep?: number;
  /** Says what would go, and takes nothing. */
  readonly dryRun?: boolean;
}

/**
 * Takes old runs off the record, and gives those it took. A run that is running or waits for people stays, and so does
 * one that somebody takes up meanwhile.
 */
export async function pruneRuns(
  engine: Engine,
  { before = Number.POSITIVE_INFINITY, keep = 0, dryRun = false }: PruneOptions,
  now: () => number,
): Promise<RunSummary[]> {
  const isOver = ({ status, startedAt, endedAt }: RunSummary): boolean =>
    status !== "running" && status !== "waiting" && Date.parse(endedAt ?? startedAt) < before;
  const runs = await listRuns(engine, now(), Number.MAX_SAFE_INTEGER);
  const over = runs.slice(keep).filter(isOver);
  if (dryRun) return over;
  const removed: RunSummary[] = [];
  for (const run of over) if (await remove(engine, run.id, isOver, now)) removed.push(run);
  return removed;
}

/** Who has a run's lease has the run: with it nobody takes up what is being removed. False: the run stays. */
async function remove(
  engine: Engine,
  run: string,
  isOver: (run: RunSummary) => boolean,
  now: () => number,
): Promise<boolean> {
  try {
    const lease = await takeLease(engine, run, now);
    const isStill = isOver(await summaryOfRun(engine, run, NOBODY));
    await engine.write(isStill ? removal(lease) : [giveLease(lease)]);
    return isStill;
  } catch (error) {
    // somebody has it, or removed it, or took the lease since
    if ([LeaseError, UnknownRunError, UnmetError].some((kind) => error instanceof kind)) return false;
    throw error;
  }
}

/** A time at which no lease counts: what was it doing, but for us? It may have been taken up and left since it was listed. */
const NOBODY = Number.POSITIVE_INFINITY;

const KEPT_BY_RUN = [
  "entries",
  "texts",
  "decisions",
  ...Object.keys(TABLES).filter((table) => table !== "runs"),
];

const removal = (lease: Lease) => [
  { ...giveLease(lease), changes: 1 },
  ...KEPT_BY_RUN.map((table) => ({ sql: `delete from ${table} where run = ?`, params: [lease.run] })),
  { sql: "delete from runs where id = ?", params: [lease.run] },
];
