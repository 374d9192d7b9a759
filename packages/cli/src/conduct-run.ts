import { ApprovalDesk, type PoolEvent } from "@agentpool/core";
import { type Earlier, FollowUp, type Harness, type Outcome, runHarness } from "@agentpool/harness";
import type { ApprovalView, RunEntry, RunJournal, StoppedBy, Store } from "@agentpool/journal";
import { Winding } from "@agentpool/research";
import { type Operation, race, scoped, sleep, until, withResolvers } from "effection";
import { useApprovalPrompt } from "./approval-prompt.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { type Interrupts, useInterrupts } from "./interrupts.ts";
import type { Console } from "./io.ts";
import type { Progress } from "./progress.ts";
import { EverybodyWaits } from "./record/everybody-waits.ts";
import { type StoreFlags, sameStore, storeReminder } from "./record/use-store.ts";
import { waitingAdvice } from "./record/waiting-advice.ts";
import { reportOf } from "./report.ts";
import { saveReports } from "./reports.ts";
import { type ProgressFlags, useProgress } from "./use-progress.ts";
import { useStrayErrors } from "./use-stray-errors.ts";
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
    const { by, written } = ending;
    const failure = yield* settled(written);
    say(stopNotice(by, record && !failure ? `${run}${sameStore(flags)}${storeReminder(flags)}` : undefined));
    if (failure) throw failure;
    return { status: by === "ctrl-c" ? "cancelled" : "interrupted", exitCode: EXIT.interrupted, question };
  }
  if (ending.type === "waiting") {
    const failure = yield* settled(ending.written);
    if (failure) throw failure;
    const approvals = yield* record!.store.approvals.list({ run, open: true });
    say(`${waitingAdvice(run, approvals, sameStore(flags))}${storeReminder(flags)}`);
    return { status: "waiting", exitCode: EXIT.waiting, question, approvals };
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
  | { readonly type: "stopped"; readonly by: StoppedBy; readonly written: Writing }
  | { readonly type: "waiting"; readonly written: Writing };

/** What was put on record last, on its way there. */
type Writing = ReturnType<RunJournal["flush"]>;

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
  const asking = { io, approvals, shown, journal: record?.journal, found: sameStore(flags) };
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
      if (record && !flags.quiet) shown.say(`${announce}${storeReminder(flags)}`);
    }
    shown.observe(event);
    trace?.observe(event);
    if (event.type === "approval:requested" && event.past !== true) prompt.ask(event.approval);
    if (event.type === "approval:decided" || event.type === "approval:void") prompt.over(event.approval);
    if (leaves && waits.observe(event)) allWait.resolve();
  };
  function* everybodyWaits(): Operation<Ending> {
    for (;;) {
      yield* allWait.operation;
      allWait = withResolvers();
      yield* sleep(GRACE);
      if (!waits.now) continue;
      over = true;
      const written = leave(record!.journal, { type: "run:waiting", run, at: Date.now() });
      return { type: "waiting", written };
    }
  }
  function* outcome(): Operation<Ending> {
    const { reading: onReading } = shown;
    const journal = record ? { journal: record.journal, settings } : {};
    const options = { question, run, onEvent, onReading, approvals, winding, ...journal };
    return { type: "ended", outcome: yield* runHarness(harness, options) };
  }
  function* stopped(): Operation<Ending> {
    const by = yield* interrupts.stop;
    over = true;
    const written = record && leave(record.journal, { type: "run:stopped", run, at: Date.now(), by });
    return { type: "stopped", by, written };
  }
  const stray = yield* useStrayErrors();
  function* failed(): Operation<never> {
    const error = yield* stray;
    throw new Error(`something that nobody waited for failed: ${error.message || error.name}`, {
      cause: error,
    });
  }
  return yield* race([outcome(), stopped(), failed(), ...(leaves ? [everybodyWaits()] : [])]);
}

/**
 * Puts on record how a process leaves a run, and lets go of it: what the halt that follows does to the agents is not what
 * became of them, since the run can be taken up again. Nothing is waited for before that halt: a call that ran on in
 * the meantime would not be on record.
 */
function leave(journal: RunJournal, entry: RunEntry): Writing {
  journal.note(entry);
  const written = journal.flush();
  journal.seal();
  return written;
}

/** Waits until it is on record; gives the error that kept it from there. */
function* settled(written: Writing): Operation<Error | undefined> {
  try {
    if (written) yield* until(Promise.resolve(written));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** What became of a run that was stopped at once; `run` is how its record is named, where it has one. */
function stopNotice(by: StoppedBy, run: string | undefined): string {
  const stopped = by === "ctrl-c" ? "Stopped" : `Stopped by ${by}`;
  if (run === undefined) return `${stopped}.`;
  return by === "ctrl-c"
    ? `${stopped}: on record as cancelled, with what it had. To carry on all the same: pool resume ${run}`
    : `${stopped}: on record as interrupted, with what it had. To carry on: pool resume ${run}`;
}

/** A run that was cut short counts as interrupted, one that lost a stage by itself as failed. */
function standing(outcome: Outcome, interrupted: boolean): Pick<Conclusion, "status" | "exitCode"> {
  const whole = outcome.type === "value" ? !interrupted : outcome.brief.status === "complete";
  if (whole) return { status: "completed", exitCode: EXIT.done };
  if (interrupted) return { status: "cancelled", exitCode: EXIT.interrupted };
  return { status: "failed", exitCode: EXIT.failed };
}
