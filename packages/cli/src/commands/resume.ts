import type { Operation } from "effection";
import { type ConductFlags, conductRun } from "../conduct-run.ts";
import type { ExitCode } from "../exit-code.ts";
import type { HarnessFlags } from "../harness-flags.ts";
import type { Console } from "../io.ts";
import { beginningOf, harnessOf } from "../record/run-settings.ts";
import { useRecordedRun } from "../record/use-store.ts";
import { UsageError } from "../usage-error.ts";
import { concluded } from "./run.ts";

export interface ResumeFlags extends HarnessFlags, ConductFlags {
  /** Takes it up although its tasks, tools or schemas are not those on record. */
  readonly force?: boolean;
}

/** `pool resume`: carries on with a run where its record ends. */
export function* resumeCommand(io: Console, meant: string, flags: ResumeFlags): Operation<ExitCode> {
  const { store, run } = yield* useRecordedRun(io, flags, meant);
  return yield* concluded(io, run, flags, function* () {
    const { status, stopped } = yield* store.show(run);
    if (status === "completed" || status === "failed" || (status === "cancelled" && stopped === null))
      throw new UsageError(
        `Run ${run} has come to its end (${status}); pool show ${run} shows it, and pool ask ${run} "…" follows up.`,
      );
    const journal = yield* store.journal(run, { by: "the terminal", force: flags.force === true });
    const { question, settings: then } = beginningOf(run, journal.history);
    const { harness, settings } = harnessOf(io, then, flags);
    const record = { store, journal };
    const announce = `Run ${run}, taken up again`;
    const { earlier } = then;
    return yield* conductRun({
      io,
      harness,
      question,
      run,
      flags,
      record,
      settings,
      earlier,
      announce,
    });
  });
}
