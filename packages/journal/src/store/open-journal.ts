import { type ApprovalDecision, type Journal, type JournalEntry, useClock } from "@agentpool/core";
import { ensure, type Operation, resource, until } from "effection";
import { DerivedTables } from "../decisions/derived-tables.ts";
import { HIDDEN } from "../decisions/redact-secrets.ts";
import { isRunEntry, type RunEntry, type StoredEntry } from "../values/entry.ts";
import { Bell } from "./bell.ts";
import { settle } from "./decide.ts";
import { hearDecisions } from "./hear-decisions.ts";
import { giveLease, LEASE_MS, takeLease } from "./lease.ts";
import { readRecord } from "./read-record.ts";
import { RecordWriter } from "./record-writer.ts";
import type { StoreParts } from "./store.ts";

export interface JournalOptions {
  /** Who decides in this process, on record. Default: nobody in particular. */
  readonly by?: string;
  /** Takes a run up although its tasks, tools or schemas are not those on record. */
  readonly force?: boolean;
}

/** The journal of one run, with what only its owner may say. */
export interface RunJournal extends Journal {
  /** The whole record that was there when it was opened, the run's own entries included. */
  readonly history: readonly StoredEntry[];
  /** Takes an entry of the run itself. */
  note(entry: RunEntry): void;
  /** Takes any entry: of a record that was made elsewhere. */
  add(entry: StoredEntry): void;
  /** From here on nothing more is taken: what a halt does to the agents is not what became of them. */
  seal(): void;
}

export const openJournal = (
  { engine, now, redact }: StoreParts,
  run: string,
  { by, force = false }: JournalOptions,
): Operation<RunJournal> =>
  resource(function* (provide) {
    const taking = takeLease(engine, run, now);
    // a halt does not stop what takes it: it is given back also where nobody waited for it any more
    yield* ensure(() => until(taking.then((lease) => engine.write([giveLease(lease)])).catch(() => {})));
    const lease = yield* until(taking);
    const history = yield* until(readRecord(engine, run));
    const tables = new DerivedTables(run);
    for (const entry of history) tables.add(entry);
    tables.take();
    const writer = new RecordWriter({ engine, lease, redact, now, tables, length: history.length });
    yield* ensure(() => until(writer.close()));
    const bell = new Bell();
    const asked = new Set<string>();
    // approvals that earlier processes asked for are not asked for again: they wait for their decision all the same
    for (const entry of history) noteAsked(asked, entry);
    const renewal = setInterval(() => void writer.renew(), LEASE_MS / 3);
    renewal.unref();
    try {
      yield* provide({
        recorded: history.filter((entry): entry is JournalEntry => !isRunEntry(entry)),
        history,
        force,
        append(entry) {
          writer.append(entry);
          noteAsked(asked, entry);
          if (entry.type === "approval:requested") bell.ring();
        },
        note: (entry) => writer.append(entry),
        add: (entry) => writer.append(entry),
        flush: () => writer.flush(),
        seal: () => writer.seal(),
        hidden: HIDDEN,
        asRecorded: (value) => JSON.parse(redact(JSON.stringify(value))) as typeof value,
        *decisions(decide) {
          const clock = yield* useClock();
          yield* hearDecisions({ engine, run, clock, bell, asks: () => asked.size > 0 }, decide);
        },
        decide(id, made) {
          const decision = JSON.parse(redact(JSON.stringify(made))) as ApprovalDecision;
          return settle(engine, { run, id }, { decision, by: by ?? null }, now());
        },
      });
    } finally {
      clearInterval(renewal);
    }
  });

/** Keeps the approvals that wait for somebody. */
function noteAsked(asked: Set<string>, entry: StoredEntry): void {
  if (entry.type === "approval:requested") asked.add(entry.approval.id);
  else if (entry.type === "approval:decided" || entry.type === "approval:void") asked.delete(entry.approval);
}
