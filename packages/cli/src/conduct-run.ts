import { ApprovalDesk, type PoolEvent } from "@agentpool/core";
import { type Earlier, FollowUp, type Harness, type Outcome, runHarness } from "@agentpool/harness";
import type { ApprovalView, RunJournal, Store } from "@agentpool/journal";
import { Winding } from "@agentpool/research";
import { type Operation, race, scoped, sleep, until, withResolvers } from "effection";
import { useApprovalPrompt } from "./approval-prompt.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { type Interrupts, useInterrupts } from "./interrupts.ts";
import type { Console } from "./io.ts";
import type { Progress } from "./progress.ts";
import { EverybodyWaits } from "./record/everybody-waits.ts";
import { type StoreFlags, sameStore } from "./record/use-store.ts";
import { waitingAdvice } from "./record/waiting-advice.ts";
import { reportOf } from "./report.ts";
import { saveReports } from "./reports.ts";
import { type ProgressFlags, useProgress } from "./use-progress.ts";
import { useTrace } from "./use-trace.ts";

/** How a run went, as `--json` tells it last. */
export interface Conclusion {
  readonly status: "completed" | "cancelled" | "failed" | "waiting" | "interrupted";
  readonly exitCode: ExitCode;
  readonly question?: string;
  readonly brief?: unknown;
  readonly value?: unknown;
  /** The files that hold the brief. */
  readonly reports?: readonly string[];
  /** What waits for people. */
  readonly approvals?: readonly ApprovalView[];
  readonly error?: string;
}

export interface ConductFlags extends ProgressFlags, StoreFlags {
  /** Events on stdout, one a line, last the result. */
  readonly json?: boolean;
  /** Stays while everybody waits for people. */
  readonly wait?: boolean;
}

export interface Conduct {
  readonly io: Console;
  readonly harness: Harness;
  readonly question: string;
  readonly run: string;
  readonly flags: ConductFlags;
  /** Where it is recorded; undefined: nowhere. */
  readonly record: { readonly store: Store; readonly journal: RunJournal } | undefined;
  /** What the record says that it can be taken up with. */
  readonly settings: unknown;
  /** What it follows up on. */
  readonly earlier?: Earlier | undefined;
  /** Said when it begins, so that a person can name it elsewhere. */
  readonly announce: string;
}

/** Runs a harness before a person: shows what happens, asks, listens to ctrl-c, prints and keeps the answer. */
export function* conductRun(conduct: Conduct): Operation<Conclusion> {
  const { io, run, question, flags, record, earlier } = conduct;
  const winding = earlier ? new FollowUp(earlier) : new Winding();
  let progress: Progress | undefined;
  const interrupts = yield* useInterrupts(() => {
    progress?.say("Winding down to a brief of what there is. Ctrl-c again stops at once.");
    winding.windDown();
  });
  const ending = yield* scoped(function* () {
    const shown = yield* useProgress(io, flags);
    progress = shown;
    return yield* running(conduct, { winding, shown, interrupts });
  });
  const say = (text: string) => io.err.write(`${text}\n`);
  if (ending.type === "stopped") {
    say(record ? `Stopped. To carry on: pool resume ${run}${sameStore(flags)}` : "Stopped.");
    return { status: record ? "interrupted" : "cancelled", exitCode: EXIT.interrupted, question };
  }
  if (ending.type === "waiting") {
    say(waitingAdvice(run, ending.approvals, sameStore(flags)));
    return { status: "waiting", exitCode: EXIT.waiting, question, approvals: ending.approvals };
  }
  const { outcome } = ending;
  const report = reportOf(outcome, { run, question });
  if (!flags.json) io.out.write(report.shown);
  const saved = yield* saveReports(io.cwd, report);
  if (saved.files.length > 0 && !flags.quiet) say(`Saved ${saved.files.join(" and ")}.`);
  if (saved.problem !== undefined) say(`${saved.problem}. The brief is on stdout only.`);
  const told = outcome.type === "brief" ? { brief: outcome.brief } : { value: outcome.value };
  return { ...standing(outcome, interrupts.requested), question, ...told, reports: saved.files };
}

type Ending =
  | { readonly type: "ended"; readonly outcome: Outcome }
  | { readonly type: "stopped" }
  | { readonly type: "waiting"; readonly approvals: readonly ApprovalView[] };

interface Watching {
  readonly winding: Winding;
  readonly shown: Progress;
  readonly interrupts: Interrupts;
}

/** Milliseconds for which everybody has to wait before the process leaves: a decision may be on its way. */
const GRACE = 200;

function* running(
  { io, harness, question, run, flags, record, settings, announce }: Conduct,
  { winding, shown, interrupts }: Watching,
): Operation<Ending> {
  const approvals = new ApprovalDesk();
  const asking = { io, approvals, say: shown.say, journal: record?.journal };
  const prompt = yield* useApprovalPrompt(asking);
  const trace = yield* useTrace(io, run, shown.say);
  const waits = new EverybodyWaits();
  let allWait = withResolvers<void>();
  let begun = false;
  let over = false;
  const leaves = record !== undefined && !prompt.answers && flags.wait !== true;
  const onEvent = (event: PoolEvent) => {
    if (over) return; // a halt is nobody's decision
    if (flags.json) io.out.write(`${JSON.stringify(event)}\n`);
    if (event.type === "pool:opened" && !begun) {
      begun = true;
      if (record && !flags.quiet) shown.say(announce);
    }
    shown.observe(event);
    trace?.observe(event);
    if (event.type === "approval:requested" && event.past !== true) prompt.ask(event.approval);
    if (leaves && waits.observe(event)) allWait.resolve();
  };
  function* everybodyWaits(): Operation<Ending> {
    for (;;) {
      yield* allWait.operation;
      allWait = withResolvers();
      yield* sleep(GRACE);
      if (!waits.now) continue;
      over = true;
      return { type: "waiting", approvals: yield* leave(run, record!) };
    }
  }
  function* outcome(): Operation<Ending> {
    const { reading: onReading } = shown;
    const journal = record ? { journal: record.journal, settings } : {};
    const options = { question, run, onEvent, onReading, approvals, winding, ...journal };
    return { type: "ended", outcome: yield* runHarness(harness, options) };
  }
  function* stopped(): Operation<Ending> {
    yield* interrupts.stop;
    over = true;
    // what the halt does to the agents is not what became of them: the run can be taken up again
    record?.journal.seal();
    return { type: "stopped" };
  }
  return yield* race([outcome(), stopped(), ...(leaves ? [everybodyWaits()] : [])]);
}

/** Puts on record that everybody waits, and lets go of the run. */
function* leave(run: string, { store, journal }: NonNullable<Conduct["record"]>): Operation<ApprovalView[]> {
  journal.note({ type: "run:waiting", run, at: Date.now() });
  const written = journal.flush();
  journal.seal();
  if (written) yield* until(Promise.resolve(written));
  return yield* store.approvals.list({ run, open: true });
}

/** A run that was cut short counts as interrupted, one that lost a stage by itself as failed. */
function standing(outcome: Outcome, interrupted: boolean): Pick<Conclusion, "status" | "exitCode"> {
  const whole = outcome.type === "value" ? !interrupted : outcome.brief.status === "complete";
  if (whole) return { status: "completed", exitCode: EXIT.done };
  if (interrupted) return { status: "cancelled", exitCode: EXIT.interrupted };
  return { status: "failed", exitCode: EXIT.failed };
}
