import { loadHarness } from "@agentpool/harness";
import type { Operation } from "effection";
import { type Conclusion, type ConductFlags, conductRun } from "../conduct-run.ts";
import type { ExitCode } from "../exit-code.ts";
import { type HarnessFlags, settingsOf } from "../harness-flags.ts";
import type { Console } from "../io.ts";
import { questionOf } from "../question.ts";
import { readStdin } from "../read-stdin.ts";
import { settingsToRecord } from "../record/run-settings.ts";
import { useRecord } from "../record/use-record.ts";
import { runId } from "../run-id.ts";
import { explain } from "../trouble.ts";

export interface RunFlags extends HarnessFlags, ConductFlags {}

/** `pool run`: asks the harness a question. The brief goes to stdout and to `reports/`, all else to stderr. */
export function* runCommand(io: Console, words: readonly string[], flags: RunFlags): Operation<ExitCode> {
  const run = runId(new Date());
  return yield* concluded(io, run, flags, function* () {
    const { file } = flags;
    const set = settingsOf(flags);
    const harness = loadHarness({
      cwd: io.cwd,
      env: io.env,
      flags: set,
      ...(file === undefined ? {} : { file }),
    });
    const given = words.length === 1 && words[0] === "-" ? yield* readStdin(io.stdin) : words.join(" ");
    const question = questionOf(words.length === 0 ? undefined : given, harness.config.question);
    const record = yield* useRecord(io, harness, run);
    const settings = settingsToRecord(harness, { file, flags: set });
    return yield* conductRun({ io, harness, question, run, flags, record, settings, announce: `Run ${run}` });
  });
}

/** Ends a command with how its run went, said last where `--json` asks for it. */
export function* concluded(
  io: Console,
  run: string,
  { json }: { readonly json?: boolean },
  conduct: () => Operation<Conclusion>,
): Operation<ExitCode> {
  const conclude = (result: Conclusion) => {
    if (json) io.out.write(`${JSON.stringify({ type: "result", run, ...result })}\n`);
    return result.exitCode;
  };
  try {
    const conclusion = yield* conduct();
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
