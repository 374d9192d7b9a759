import type { ApprovalDecision } from "@agentpool/core";
import { type Engine, UnmetError } from "../engine/engine.ts";
import { DecisionError } from "../values/errors.ts";
import type { ApprovalView } from "../values/views.ts";
import { listApprovals } from "./list-approvals.ts";

/** A decision, and who made it. */
export interface Verdict {
  readonly decision: ApprovalDecision;
  readonly by: string | null;
}

/** The approval that somebody means: its id, or the beginning of it. */
export async function findApproval(engine: Engine, meant: string): Promise<ApprovalView> {
  const known = await listApprovals(engine, {});
  const matching = known.filter(({ id }) => id === meant);
  const found =
    matching.length > 0 ? matching : known.filter(({ id }) => meant !== "" && id.startsWith(meant));
  const [only] = found;
  if (!only)
    throw new DecisionError(
      "unknown",
      `There is no approval ${meant}; pool approvals lists those that wait.`,
    );
  if (found.length > 1)
    throw new DecisionError(
      "unknown",
      `Several approvals begin with ${meant}: ${found.map(({ id }) => id).join(", ")}. Write more of it.`,
    );
  return only;
}

/** Decides about a call. The first decision stands: throws {@link DecisionError} where there was one. */
export async function decide(
  engine: Engine,
  meant: string,
  verdict: Verdict,
  now: number,
): Promise<ApprovalView> {
  const approval = await findApproval(engine, meant);
  const { run, id } = approval;
  const { decision, by } = verdict;
  if (approval.state !== "open") throw decidedBefore(approval);
  try {
    const statement = {
      sql: `insert into decisions (run, id, decision, reason, decided_by, at)
          select run, id, ?, ?, ?, ${Math.round(now)} from approvals where run = ? and id = ? and state = 'open'
          on conflict (run, id) do nothing`,
      params: [decision.type, denialOf(decision), by, run, id],
      changes: 1,
    };
    await engine.write([statement], { announce: true });
  } catch (error) {
    if (!(error instanceof UnmetError)) throw error;
    throw decidedBefore(await findApproval(engine, id));
  }
  return await findApproval(engine, id);
}

function decidedBefore({ id, tool, state, decidedAt, decidedBy }: ApprovalView): DecisionError {
  if (state === "void")
    return new DecisionError("void", `Approval ${id} is void: the call of ${tool} it was for is gone.`);
  const who = decidedBy === null ? "" : ` by ${decidedBy}`;
  return new DecisionError(
    "decided",
    `Approval ${id} was ${state} before${who}, at ${decidedAt}; the first decision stands.`,
  );
}

/** Puts down what the run's own process decided, unless somebody was faster. Gives the decision that stands. */
export async function settle(
  engine: Engine,
  { run, id }: { readonly run: string; readonly id: string },
  { decision, by }: Verdict,
  now: number,
): Promise<ApprovalDecision> {
  await engine.write([
    {
      sql: `insert into decisions (run, id, decision, reason, decided_by, at) values (?, ?, ?, ?, ?, ?)
        on conflict (run, id) do nothing`,
      params: [run, id, decision.type, denialOf(decision), by, Math.round(now)],
    },
  ]);
  const stands = (await decisionsOn(engine, run)).find((made) => made.id === id);
  return stands?.decision ?? decision;
}

const denialOf = (decision: ApprovalDecision): string | null =>
  decision.type === "denied" ? (decision.reason ?? null) : null;

/** Every decision about a call of this run. */
export async function decisionsOn(
  engine: Pick<Engine, "all">,
  run: string,
): Promise<{ readonly id: string; readonly decision: ApprovalDecision }[]> {
  const rows = await engine.all("select id, decision, reason from decisions where run = ?", [run]);
  return rows.map(({ id, decision, reason }) => ({
    id: String(id),
    decision:
      decision === "approved"
        ? { type: "approved" }
        : { type: "denied", ...(reason === null ? {} : { reason: String(reason) }) },
  }));
}
