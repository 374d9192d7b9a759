import { addUsage, noUsage } from "@agentpool/core";
import { decodeJson } from "../decisions/encode-entries.ts";
import type { Reader, SqlRow } from "../engine/engine.ts";
import type { RecordedSource, RunOrigin, StoppedBy } from "../values/entry.ts";
import type {
  AgentView,
  CallView,
  RefusalView,
  ReviewView,
  RunSummary,
  RunView,
  TurnView,
} from "../values/views.ts";
import { listApprovals } from "./list-approvals.ts";
import { summaryOfRun, timeOf } from "./list-runs.ts";
import { textsOf } from "./read-record.ts";

/** Everything that is on record of a run, as its tables have it. Read it in one snapshot: it is in several. */
export async function showRun(reader: Reader, run: string, now: number): Promise<RunView> {
  const summary = await summaryOfRun(reader, run, now);
  const textOf = await textsOf(reader, run);
  const json = (value: unknown): unknown => decodeJson(value as string | null, textOf);
  const rowsOf = (table: string, order: string): Promise<SqlRow[]> =>
    reader.all(`select * from ${table} where run = ? order by ${order}`, [run]);
  const [row] = await reader.all("select * from runs where id = ?", [run]);
  const calls = await rowsOf("calls", "idx");
  const refusals = await rowsOf("refusals", "idx");
  const turns = await rowsOf("turns", "idx");
  const agents = await rowsOf("agents", "idx");
  const sources = await rowsOf("sources", "quotations desc, source");
  const reviewed = await rowsOf("reviews", "review");
  const reviews = grouped<ReviewView>(
    reviewed.map((review) => [attemptOf(review), reviewView(review, json)] as const),
  );
  const steps = grouped<CallView | RefusalView>([
    ...calls.map((call) => [stepOf(call), callView(call, json)] as const),
    ...refusals.map((refusal) => [stepOf(refusal), refusalView(refusal)] as const),
  ]);
  // a turn's calls are those of its last attempt: the others were discarded
  const last = new Map(turns.map((turn) => [stepOf(turn), turn]));
  const callsOf = (turn: SqlRow) =>
    last.get(stepOf(turn)) === turn ? (steps.get(stepOf(turn)) ?? []).sort(inOrderOfCalls) : [];
  const lastOfAttempt = new Map(turns.map((turn) => [attemptOf(turn), turn]));
  const reviewsOf = (turn: SqlRow) =>
    lastOfAttempt.get(attemptOf(turn)) === turn ? (reviews.get(attemptOf(turn)) ?? []) : [];
  const turnsOf = grouped<TurnView>(
    turns.map((turn) => [String(turn.agent), turnView(turn, callsOf(turn), reviewsOf(turn))]),
  );
  return {
    ...summary,
    origin: json(row!.origin) as RunOrigin | null,
    settings: json(row!.settings),
    answer: json(row!.answer),
    error: row!.error as string | null,
    stopped: await stoppedBy(reader, summary),
    usage: [...turns, ...reviewed].map(usageOf).reduce(addUsage, noUsage),
    agentViews: agents.map((agent) => agentView(agent, turnsOf.get(String(agent.agent)) ?? [], json)),
    approvals: await listApprovals(reader, { run }),
    sources: sources.map((source) => sourceView(source, json)),
  };
}

/** Who stopped a run that has not come to its end, as the last of its processes left it. */
async function stoppedBy(reader: Reader, { id, status }: RunSummary): Promise<StoppedBy | null> {
  if (status !== "interrupted" && status !== "cancelled") return null;
  const [last] = await reader.all(
    `select type, body from events where run = ? and type in ('run:resumed', 'run:stopped', 'run:ended')
      order by idx desc limit 1`,
    [id],
  );
  if (last?.type !== "run:stopped") return null;
  // PostgreSQL knows that it is JSON, and gives the value
  const body: unknown = typeof last.body === "string" ? JSON.parse(last.body) : last.body;
  return (body as { readonly by: StoppedBy }).by;
}

function grouped<T>(pairs: readonly (readonly [string, T])[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const [key, value] of pairs) {
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

const stepOf = ({ agent, turn }: SqlRow): string => `${agent}\n${turn}`;
const attemptOf = ({ agent, turn, attempt }: SqlRow): string => `${agent}\n${turn}\n${attempt}`;

/** A call's id ends with its place in its turn's step. */
const inOrderOfCalls = (left: { call: string }, right: { call: string }): number =>
  left.call.localeCompare(right.call, "en", { numeric: true });

const usageOf = ({ input_tokens, output_tokens, cached_tokens }: SqlRow) => ({
  input: Number(input_tokens),
  output: Number(output_tokens),
  cached: Number(cached_tokens),
});

function agentView(row: SqlRow, turns: readonly TurnView[], json: (value: unknown) => unknown): AgentView {
  return {
    agent: String(row.agent),
    pool: String(row.pool),
    parent: row.parent as string | null,
    depth: Number(row.depth),
    model: row.model as string | null,
    task: String(row.task),
    startedAt: timeOf(row.started_at)!,
    endedAt: timeOf(row.ended_at),
    exit: row.exit as string | null,
    reason: row.reason as string | null,
    result: json(row.result),
    turns,
  };
}

const turnView = (
  row: SqlRow,
  calls: readonly (CallView | RefusalView)[],
  reviews: readonly ReviewView[],
): TurnView => ({
  turn: Number(row.turn),
  attempt: Number(row.attempt),
  forced: Number(row.forced) === 1,
  startedAt: timeOf(row.started_at)!,
  ms: Number(row.ended_at) - Number(row.started_at),
  model: row.model as string | null,
  finish: String(row.finish),
  usage: usageOf(row),
  calls,
  reviews,
});

const reviewView = (row: SqlRow, json: (value: unknown) => unknown): ReviewView => ({
  subject: row.subject as ReviewView["subject"],
  asked: json(row.asked) as readonly unknown[],
  verdict: row.verdict as ReviewView["verdict"],
  problem: row.problem as string | null,
  message: row.message as string | null,
  model: row.model as string | null,
  effort: row.effort as string | null,
  remembered: Number(row.remembered) === 1,
  usage: usageOf(row),
  cost: row.cost === null ? null : Number(row.cost),
  ms: row.ms === null ? null : Number(row.ms),
});

const callView = (row: SqlRow, json: (value: unknown) => unknown): CallView => ({
  type: "call",
  call: String(row.call),
  tool: String(row.tool),
  identity: row.identity as string | null,
  args: json(row.args),
  outcome: row.outcome as CallView["outcome"],
  attended: Number(row.attended) === 1,
  attempts: Number(row.attempts),
  terminal: Number(row.terminal) === 1,
  ms: row.ms === null ? null : Number(row.ms),
  result: json(row.result),
});

const refusalView = (row: SqlRow): RefusalView => ({
  type: row.kind as RefusalView["type"],
  call: String(row.call),
  tool: String(row.tool),
  identity: row.identity as string | null,
  input: String(row.input ?? ""),
  guard: String(row.guard),
  message: String(row.message),
});

const sourceView = (row: SqlRow, json: (value: unknown) => unknown): RecordedSource => ({
  source: String(row.source),
  title: String(row.title),
  lines: json(row.lines) as RecordedSource["lines"],
  readBy: json(row.read_by) as readonly string[],
  quotations: Number(row.quotations),
});
