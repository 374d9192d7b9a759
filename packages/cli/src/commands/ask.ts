import type { RunView } from "@agentpool/journal";
import { type Brief, renderBrief } from "@agentpool/research";
import { type Operation, scoped, until } from "effection";
import { type ConductFlags, conductRun } from "../conduct-run.ts";
import type { ExitCode } from "../exit-code.ts";
import type { HarnessFlags } from "../harness-flags.ts";
import type { Console } from "../io.ts";
import { questionOf } from "../question.ts";
import { readStdin } from "../read-stdin.ts";
import { beginningOf, harnessOf } from "../record/run-settings.ts";
import { type StoreFlags, sameStore, storeReminder, useRecordedRun } from "../record/use-store.ts";
import { runId } from "../run-id.ts";
import { UsageError } from "../usage-error.ts";
import { concluded } from "./run.ts";

export interface AskFlags extends HarnessFlags, ConductFlags {}

/** `pool ask`: a new run of the same harness, whose agents know an earlier question and its answer. */
export function* askCommand(
  io: Console,
  meant: string,
  words: readonly string[],
  flags: AskFlags,
): Operation<ExitCode> {
  const { store, run: from } = yield* useRecordedRun(io, flags, meant);
  const run = runId(new Date());
  return yield* concluded(io, run, flags, function* () {
    const given = words.length === 1 && words[0] === "-" ? yield* readStdin(io.stdin) : words.join(" ");
    const question = questionOf(given, undefined);
    const view = yield* store.show(from);
    const { answer } = view;
    if (answer === null || answer === undefined) throw new UsageError(unanswered(view, flags));
    const beginning = beginningOf(from, yield* store.record(from));
    const { harness, settings: now } = harnessOf(io, beginning.settings, flags);
    const earlier = { question: beginning.question, answer: inWords(answer) };
    const settings = { ...now, earlier };
    yield* scoped(function* () {
      const journal = yield* store.journal(run);
      const origin = { run: from, kind: "ask" } as const;
      journal.note({ type: "run:started", run, at: Date.now(), question, settings, origin });
      const written = journal.flush();
      if (written) yield* until(Promise.resolve(written));
    });
    const journal = yield* store.journal(run, { by: "the terminal" });
    const announce = `Run ${run}, following up on ${from}`;
    return yield* conductRun({
      io,
      harness,
      question,
      run,
      flags,
      record: { store, journal },
      settings,
      earlier,
      announce,
    });
  });
}

/** Why there is nothing to follow up on, and what to do. */
function unanswered({ id, status, stopped }: RunView, flags: StoreFlags): string {
  const none = `Run ${id} has no answer to follow up on`;
  if (status === "running")
    return `${none} yet: it is running. pool show ${id}${sameStore(flags)} shows how far it is.`;
  if (status === "waiting" || status === "interrupted" || stopped !== null)
    return `${none}: pool resume ${id}${sameStore(flags)} may get it one.${storeReminder(flags)}`;
  return `${none}, and has come to its end (${status}): ask anew with pool run.`;
}

const inWords = (answer: unknown): string => {
  if (typeof answer === "string") return answer;
  return isBrief(answer) ? renderBrief(answer) : JSON.stringify(answer, null, 2);
};

const isBrief = (value: unknown): value is Brief =>
  typeof value === "object" && value !== null && "sections" in value && "totals" in value;
