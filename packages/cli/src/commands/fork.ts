import { forkRecord } from "@agentpool/journal";
import { type Operation, scoped, until } from "effection";
import { type ConductFlags, conductRun } from "../conduct-run.ts";
import type { ExitCode } from "../exit-code.ts";
import type { HarnessFlags } from "../harness-flags.ts";
import type { Console } from "../io.ts";
import { beginningOf, harnessOf } from "../record/run-settings.ts";
import { useRecordedRun } from "../record/use-store.ts";
import { runId } from "../run-id.ts";
import { UsageError } from "../usage-error.ts";
import { concluded } from "./run.ts";

export interface ForkFlags extends HarnessFlags, ConductFlags {
  /** `research/2:3`: the agent, and the last of its turns that still counts. */
  readonly at: string;
  readonly message?: string;
  readonly force?: boolean;
}

/** `pool fork`: a new run that goes on from a turn of a recorded one. */
export function* forkCommand(io: Console, meant: string, flags: ForkFlags): Operation<ExitCode> {
  const { store, run: from } = yield* useRecordedRun(io, flags, meant);
  const run = runId(new Date());
  return yield* concluded(io, run, flags, function* () {
    const at = pointOf(flags.at);
    const entries = yield* store.record(from);
    const { question, settings: then } = beginningOf(from, entries);
    const { harness, settings } = harnessOf(io, then, flags);
    const { earlier } = then;
    const { message, force = false } = flags;
    const told = message === undefined ? {} : { message };
    const forked = forkRecord(entries, { run, ...at, ...told, question, settings, now: Date.now() });
    yield* scoped(function* () {
      const journal = yield* store.journal(run);
      for (const entry of forked) journal.add(entry);
      const written = journal.flush();
      if (written) yield* until(Promise.resolve(written));
    });
    const journal = yield* store.journal(run, { by: "the terminal", force });
    const announce = `Run ${run}, forked from ${from} at ${flags.at}`;
    const record = { store, journal };
    return yield* conductRun({ io, harness, question, run, flags, record, settings, earlier, announce });
  });
}

function pointOf(at: string): { readonly agent: string; readonly turn: number } {
  const [, agent, turn] = /^(.+):(\d+)$/.exec(at) ?? [];
  if (agent === undefined)
    throw new UsageError(`--at: found ${JSON.stringify(at)}; accepted is AGENT:TURN, such as research/2:3.`);
  return { agent, turn: Number(turn) };
}
