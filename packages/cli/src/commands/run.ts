import { ApprovalDesk, type PoolEvent } from "@agentpool/core";
import { type Harness, loadHarness, type Outcome, runHarness } from "@agentpool/harness";
import { Winding } from "@agentpool/research";
import { type Operation, race, scoped } from "effection";
import { useApprovalPrompt } from "../approval-prompt.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { type HarnessFlags, settingsOf } from "../harness-flags.ts";
import { type Interrupts, useInterrupts } from "../interrupts.ts";
import type { Console } from "../io.ts";
import type { Progress } from "../progress.ts";
import { questionOf } from "../question.ts";
import { readStdin } from "../read-stdin.ts";
import { reportOf } from "../report.ts";
import { saveReports } from "../reports.ts";
import { runId } from "../run-id.ts";
import { explain } from "../trouble.ts";
import { type ProgressFlags, useProgress } from "../use-progress.ts";

export interface RunFlags extends HarnessFlags, ProgressFlags {
  /** Events on stdout, one a line, last the result. */
  readonly json?: boolean;
}

/** `pool run`: asks the harness a question. The brief goes to stdout and to `reports/`, all else to stderr. */
export function* runCommand(io: Console, words: readonly string[], flags: RunFlags): Operation<ExitCode> {
  const run = runId(new Date());
  const conclude = (result: Conclusion) => {
    if (flags.json) io.out.write(`${JSON.stringify({ type: "result", run, ...result })}\n`);
    return result.exitCode;
  };
  try {
    const harness = loadHarness({ cwd: io.cwd, env: io.env, flags: settingsOf(flags), ...fileOf(flags) });
    const given = words.length === 1 && words[0] === "-" ? yield* readStdin(io.stdin) : words.join(" ");
    const question = questionOf(words.length === 0 ? undefined : given, harness.config.question);
    const conclusion = yield* ask({ io, harness, question, run, flags });
    const unwritten = yield* io.out.flush();
    if (unwritten) {
      const kept = conclusion.reports?.length ? ` It is in ${conclusion.reports.join(" and ")}.` : "";
      throw new Error(`the brief could not be written to stdout: ${unwritten.message}.${kept}`);
    }
    return conclude(conclusion);
  } catch (error) {
    const { message, exitCode } = explain(error);
    conclude({ status: "failed", exitCode, error: message });
    throw error;
  }
}

const fileOf = ({ file }: RunFlags) => (file === undefined ? {} : { file });

interface Conclusion {
  readonly status: "completed" | "cancelled" | "failed";
  readonly exitCode: ExitCode;
  readonly question?: string;
  readonly brief?: unknown;
  readonly value?: unknown;
  /** The files that hold the brief. */
  readonly reports?: readonly string[];
  readonly error?: string;
}

interface Asking {
  readonly io: Console;
  readonly harness: Harness;
  readonly question: string;
  readonly run: string;
  readonly flags: RunFlags;
}

function* ask({ io, harness, question, run, flags }: Asking): Operation<Conclusion> {
  const winding = new Winding();
  let progress: Progress | undefined;
  const interrupts = yield* useInterrupts(() => {
    progress?.say("Winding down to a brief of what there is. Ctrl-c again stops at once.");
    winding.windDown();
  });
  const outcome = yield* scoped(function* () {
    const shown = yield* useProgress(io, flags);
    progress = shown;
    const approvals = new ApprovalDesk();
    const prompt = yield* useApprovalPrompt(io, approvals, shown.say);
    const onEvent = (event: PoolEvent) => {
      if (flags.json) io.out.write(`${JSON.stringify(event)}\n`);
      shown.observe(event);
      if (event.type === "approval:requested") prompt.ask(event.approval);
    };
    const { reading: onReading } = shown;
    return yield* race([
      runHarness(harness, { question, run, onEvent, onReading, approvals, winding }),
      stopped(interrupts),
    ]);
  });
  const say = (text: string) => io.err.write(`${text}\n`);
  if (outcome === undefined) {
    say("Stopped.");
    return { status: "cancelled", exitCode: EXIT.interrupted, question };
  }
  const report = reportOf(outcome, { run, question });
  if (!flags.json) io.out.write(report.shown);
  const saved = yield* saveReports(io.cwd, report);
  if (saved.files.length > 0 && !flags.quiet) say(`Saved ${saved.files.join(" and ")}.`);
  if (saved.problem !== undefined) say(`${saved.problem}. The brief is on stdout only.`);
  const told = outcome.type === "brief" ? { brief: outcome.brief } : { value: outcome.value };
  return { ...standing(outcome, interrupts.requested), question, ...told, reports: saved.files };
}

function* stopped({ stop }: Interrupts): Operation<undefined> {
  yield* stop;
  return undefined;
}

/** A run that was cut short counts as interrupted, one that lost a stage by itself as failed. */
function standing(outcome: Outcome, interrupted: boolean): Pick<Conclusion, "status" | "exitCode"> {
  const whole = outcome.type === "value" ? !interrupted : outcome.brief.status === "complete";
  if (whole) return { status: "completed", exitCode: EXIT.done };
  if (interrupted) return { status: "cancelled", exitCode: EXIT.interrupted };
  return { status: "failed", exitCode: EXIT.failed };
}
