import type { PoolEvent } from "@agentpool/core";
import type { RecordedSource, RunJournal } from "@agentpool/journal";
import { Ledger, type Winding } from "@agentpool/research";
import { type Operation, until } from "effection";
import type { Outcome } from "./run-harness.ts";

export interface Recording {
  readonly journal: RunJournal;
  readonly run: string;
  readonly question: string;
  /** What the run can be taken up with: see `RunEntry`. */
  readonly settings: unknown;
  readonly winding: Winding;
}

/** Puts on record how a run began, what its agents read, and how it ended. */
export interface Recorder {
  observe(event: PoolEvent): void;
  /** Runs it between its beginning and its end. A halt is no end: the run may be taken up again. */
  around(body: Operation<Outcome>): Operation<Outcome>;
}

/** Sources are put on record again at most this often while agents read, in milliseconds. */
const SOURCES_EVERY = 1_000;

export function recorderOf({ journal, run, question, settings, winding }: Recording): Recorder {
  const ledger = new Ledger();
  let noted = Number.NEGATIVE_INFINITY;
  const now = () => Date.now();
  const noteSources = (quotations?: ReadonlyMap<string, number>) => {
    const sources = ledger
      .sources()
      .map((source): RecordedSource => ({ ...source, quotations: quotations?.get(source.source) ?? 0 }));
    if (sources.length > 0) journal.note({ type: "run:sources", run, at: now(), sources });
  };
  return {
    observe(event) {
      ledger.observe(event);
      if (event.past || event.type !== "agent:ended" || event.at - noted < SOURCES_EVERY) return;
      noted = event.at;
      noteSources();
    },
    *around(body) {
      journal.note(
        journal.history.length === 0
          ? { type: "run:started", run, at: now(), question, settings }
          : { type: "run:resumed", run, at: now() },
      );
      try {
        const outcome = yield* body;
        noteSources(quotationsOf(outcome));
        const answer = outcome.type === "brief" ? outcome.brief : (outcome.value ?? null);
        journal.note({ type: "run:ended", run, at: now(), status: statusOf(outcome, winding), answer });
        yield* written(journal);
        return outcome;
      } catch (error) {
        // where the record itself failed there is nothing to write it to
        if (error instanceof Error && error.name !== "JournalError" && error.name !== "ResumeError") {
          journal.note({ type: "run:ended", run, at: now(), status: "failed", error: error.message });
          yield* written(journal);
        }
        throw error;
      }
    },
  };
}

function* written(journal: RunJournal): Operation<void> {
  const flushed = journal.flush();
  if (flushed) yield* until(Promise.resolve(flushed));
}

/** A run that was cut short counts as cancelled, one that lost a stage by itself as failed. */
function statusOf(outcome: Outcome, winding: Winding): "completed" | "cancelled" | "failed" {
  const whole = outcome.type === "value" ? !winding.requested : outcome.brief.status === "complete";
  if (whole) return "completed";
  return winding.requested ? "cancelled" : "failed";
}

const quotationsOf = (outcome: Outcome): ReadonlyMap<string, number> =>
  new Map(
    outcome.type === "brief"
      ? outcome.brief.sources.map(({ source, quotations }) => [source, quotations])
      : [],
  );
