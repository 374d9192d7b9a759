import type { Reader, SqlRow } from "../engine/engine.ts";
import { UnknownRunError } from "../values/errors.ts";
import type { RunStatus, RunSummary } from "../values/views.ts";
import { isHeld } from "./lease.ts";

/** The sums of a run that has not ended are not up to date in its row: they are counted. */
const live = (column: string, counted: string): string =>
  `case when r.ended_at is null then ${counted} else r.${column} end as ${column}`;
const of = (sum: string, table: string): string => `(select ${sum} from ${table} c where c.run = r.id)`;
const counted = (sum: string, table: string, column: string): string => live(column, of(sum, table));

/** Turns and reviews use tokens. */
const tokens = (column: string): string =>
  live(column, ["turns", "reviews"].map((table) => of(`coalesce(sum(${column}), 0)`, table)).join(" + "));

/** Where one price is not known, what the run cost is not. A review that asked nobody costs nothing. */
const cost = live(
  "cost",
  `${of("case when count(cost) = count(*) then coalesce(sum(cost), 0) end", "turns")} +
    ${of("case when count(cost) = count(case when input_tokens + output_tokens > 0 then 1 end) then coalesce(sum(cost), 0) end", "reviews")}`,
);

const SUMMARY = `select r.id, r.question, r.status, r.started_at, r.ended_at, l.place, l.expires_at,
    ${counted("count(*)", "agents", "agents")},
    ${counted("count(case when forced = 0 and finish not in ('restarted', 'failed') then 1 end)", "turns", "turns")},
    ${counted("count(case when terminal = 0 then dispatched_at end)", "calls", "calls")},
    ${counted("count(*)", "refusals", "refusals")},
    ${tokens("input_tokens")},
    ${tokens("output_tokens")},
    ${tokens("cached_tokens")},
    ${cost},
    (select count(*) from agents a where a.run = r.id and a.ended_at is null) as live,
    (select count(*) from approvals p where p.run = r.id and p.state = 'open'
      and not exists (select 1 from decisions d where d.run = p.run and d.id = p.id)) as asked
  from runs r left join leases l on l.run = r.id`;

/** Runs on record, newest first. */
export async function listRuns(reader: Reader, now: number, limit: number): Promise<RunSummary[]> {
  const rows = await reader.all(`${SUMMARY} order by r.started_at desc, r.id desc limit ?`, [limit]);
  return rows.map((row) => summaryOf(row, now));
}

export async function summaryOfRun(reader: Reader, run: string, now: number): Promise<RunSummary> {
  const [row] = await reader.all(`${SUMMARY} where r.id = ?`, [run]);
  if (!row) throw new UnknownRunError(`There is no run ${run} on record.`);
  return summaryOf(row, now);
}

function summaryOf(row: SqlRow, now: number): RunSummary {
  return {
    id: String(row.id),
    question: String(row.question),
    status: statusOf(row, now),
    startedAt: timeOf(row.started_at)!,
    endedAt: timeOf(row.ended_at),
    agents: Number(row.agents),
    turns: Number(row.turns),
    calls: Number(row.calls),
    refusals: Number(row.refusals),
    tokens: Number(row.input_tokens) + Number(row.output_tokens),
    cost: row.cost === null || row.cost === undefined ? null : Number(row.cost),
  };
}

/** What a run that has not ended does depends on whether its process is there, and on whom its agents wait for. */
function statusOf(row: SqlRow, now: number): RunStatus {
  const status = row.status as Exclude<RunStatus, "interrupted">;
  if (status === "completed" || status === "failed" || status === "cancelled") return status;
  const asked = Number(row.asked);
  const held = row.place !== null && isHeld(String(row.place), Number(row.expires_at), now);
  if (held) return asked > 0 && asked >= Number(row.live) ? "waiting" : "running";
  return status === "waiting" ? "waiting" : "interrupted";
}

export const timeOf = (at: unknown): string | null =>
  at === null || at === undefined ? null : new Date(Number(at)).toISOString();

/**
 * The id of the run that somebody means: `latest`, an id, or the beginning of one. Throws {@link UnknownRunError}
 * where there is none, or more than one.
 */
export async function findRun(reader: Reader, meant: string): Promise<string> {
  if (meant === "latest") {
    const [row] = await reader.all("select id from runs order by started_at desc, id desc limit 1");
    if (!row) throw new UnknownRunError("No run is on record yet.");
    return String(row.id);
  }
  const [exact] = await reader.all("select id from runs where id = ?", [meant]);
  if (exact) return meant;
  const rows = await reader.all(
    "select id from runs where substr(id, 1, ?) = ? order by started_at desc limit 6",
    [meant.length, meant],
  );
  const [only] = rows;
  if (only && rows.length === 1) return String(only.id);
  if (!only) throw new UnknownRunError(`There is no run ${meant} on record; pool runs lists them.`);
  const some = rows.slice(0, 5).map(({ id }) => String(id));
  throw new UnknownRunError(
    `Several runs begin with ${meant}: ${some.join(", ")}${rows.length > 5 ? ", …" : ""}. Write more of it.`,
  );
}
