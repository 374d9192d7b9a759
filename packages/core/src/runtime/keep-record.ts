import { type Operation, spawn, useScope } from "effection";
import type { ApprovalDecision } from "../values/approval.ts";
import { AnswerError, ResumeError } from "../values/errors.ts";
import type { Pool } from "./pool-state.ts";
import type { Run } from "./run.ts";

/**
 * Keeps a top pool on its run's record: a failure of the record ends the pool, and decisions that are made elsewhere
 * are heard. Returns how to stop.
 */
export function* keepRecord({ key, run }: Pool): Operation<() => void> {
  const { recorder } = run;
  if (!recorder) return () => {};
  const before = recorder.journal.recorded[0]?.run;
  if (before !== undefined && before !== run.id)
    throw new ResumeError(`run: the journal is of run "${before}", not of "${run.id}".`);
  recorder.begin("pool", key, { run: run.id, at: run.clock.now() });
  const scope = yield* useScope();
  const stop = recorder.onFailure((error) => {
    scope.run(() => fail(error)).catch(() => {});
  });
  if (recorder.journal.decisions)
    yield* spawn(() =>
      recorder.journal.decisions!((approval, decision) => {
        if (!isTaken(run, approval, decision) && !run.decisions.has(approval))
          run.decisions.set(approval, decision);
      }),
    );
  return stop;
}

/** Whether the approval was waited for, or was decided before. */
function isTaken(run: Run, approval: string, decision: ApprovalDecision): boolean {
  try {
    run.approvals.answer(approval, decision);
    return true;
  } catch (error) {
    if (error instanceof AnswerError) return error.problem === "answered";
    throw error;
  }
}

function* fail(error: Error): Operation<never> {
  throw error;
}

/** Agents that are on record have to be back: where they are not, the harness is another one and their work is lost. */
export function checkComplete({ key, run }: Pool): void {
  if (!run.recorder || run.recorder.journal.force) return;
  const lost = [...run.recorder.recorded.agents.values()].filter(
    (agent) => agent.pool === key && !agent.claimed && !agent.halted,
  );
  if (lost.length === 0) return;
  throw new ResumeError(
    `pool "${key}": agents on record were not started again: ${lost.map((agent) => agent.key).join(", ")}. Take it up with the harness it was begun with, or by force.`,
  );
}
