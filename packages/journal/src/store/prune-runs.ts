import type { Engine } from "../engine/engine.ts";
import { TABLES } from "../values/tables.ts";
import type { RunSummary } from "../values/views.ts";
import { listRuns } from "./list-runs.ts";

export interface PruneOptions {
  /** Only runs that ended, or were interrupted, before this; milliseconds since the epoch. */
  readonly before?: number;
  /** Keeps this many of the newest runs, whatever their age. */
  readonly keep?: number;
  /** Says what would go, and takes nothing. */
  readonly dryRun?: boolean;
}

/** Takes old runs off the record, and gives those it took. A run that is running or waits for people stays. */
export async function pruneRuns(
  engine: Engine,
  { before = Number.POSITIVE_INFINITY, keep = 0, dryRun = false }: PruneOptions,
  now: number,
): Promise<RunSummary[]> {
  const runs = await listRuns(engine, now, Number.MAX_SAFE_INTEGER);
  const over = runs
    .slice(keep)
    .filter(({ status }) => status !== "running" && status !== "waiting")
    .filter(({ startedAt, endedAt }) => Date.parse(endedAt ?? startedAt) < before);
  if (dryRun) return over;
  for (const { id } of over) await removeRun(engine, id);
  return over;
}

const KEPT_BY_RUN = [
  "entries",
  "texts",
  "decisions",
  "leases",
  ...Object.keys(TABLES).filter((table) => table !== "runs"),
];

async function removeRun(engine: Engine, run: string): Promise<void> {
  await engine.write([
    ...KEPT_BY_RUN.map((table) => ({ sql: `delete from ${table} where run = ?`, params: [run] })),
    { sql: "delete from runs where id = ?", params: [run] },
  ]);
}
