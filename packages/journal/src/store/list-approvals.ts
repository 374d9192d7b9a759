import { decodeJson } from "../decisions/encode-entries.ts";
import { REFERENCE } from "../decisions/large-texts.ts";
import type { Reader } from "../engine/engine.ts";
import type { ApprovalView } from "../values/views.ts";
import { timeOf } from "./list-runs.ts";
import { textsOf } from "./read-record.ts";

const NONE = (digest: string): never => {
  throw new Error(`the text ${digest} was not looked for`);
};

/** Which approvals are asked for. */
export interface ApprovalFilter {
  readonly run?: string;
  /** Only those that nobody has decided. */
  readonly open?: boolean;
}

/** Calls that wait for people, or did, oldest first. A decision counts from when it was made. */
export async function listApprovals(
  reader: Reader,
  { run, open = false }: ApprovalFilter,
): Promise<ApprovalView[]> {
  const wanted = [
    ...(run === undefined ? [] : ["a.run = ?"]),
    ...(open ? ["a.state = 'open' and d.id is null"] : []),
  ];
  const rows = await reader.all(
    `select a.*, d.decision, d.reason as denial, d.decided_by, d.at
     from approvals a left join decisions d on d.run = a.run and d.id = a.id
     ${wanted.length === 0 ? "" : `where ${wanted.join(" and ")}`}
     order by a.requested_at, a.id`,
    run === undefined ? [] : [run],
  );
  const texts = new Map<string, (digest: string) => unknown>();
  const views: ApprovalView[] = [];
  for (const row of rows) {
    const of = String(row.run);
    // most arguments are short: a run's large texts are read where one of them is among the arguments
    const textOf =
      texts.get(of) ?? (`${row.args} ${row.reviews}`.includes(REFERENCE) ? await textsOf(reader, of) : NONE);
    if (textOf !== NONE) texts.set(of, textOf);
    const decided = row.state === "open" ? row.decision : row.state;
    views.push({
      run: of,
      id: String(row.id),
      agent: String(row.agent),
      call: String(row.call),
      tool: String(row.tool),
      identity: String(row.identity),
      args: decodeJson(row.args as string | null, textOf),
      reason: String(row.question),
      reviews: decodeJson(row.reviews as string | null, textOf) as ApprovalView["reviews"],
      state: (decided ?? "open") as ApprovalView["state"],
      requestedAt: timeOf(row.requested_at)!,
      // the run took note of it later
      decidedAt: timeOf(decided === "void" ? row.decided_at : (row.at ?? row.decided_at)),
      decidedBy: row.decided_by as string | null,
      denial: (row.reason ?? row.denial) as string | null,
    });
  }
  return views;
}
