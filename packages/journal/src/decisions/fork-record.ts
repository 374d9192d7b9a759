import type { RunOrigin, StoredEntry } from "../values/entry.ts";
import { ForkError } from "../values/errors.ts";

export interface ForkOptions {
  /** The new run's id. */
  readonly run: string;
  /** The agent, and the last of its turns that still counts; 0: none of them does. */
  readonly agent: string;
  readonly turn: number;
  /** What the agent is told before it goes on. */
  readonly message?: string;
  readonly question: string;
  readonly settings: unknown;
  readonly now: number;
}

/**
 * The record of a run that goes on from a point of another: everything up to there, as if it had been its own. What
 * comes after is decided anew, by other settings where they are others. Throws {@link ForkError} for a point that is
 * not on record.
 */
export function forkRecord(entries: readonly StoredEntry[], options: ForkOptions): StoredEntry[] {
  const { run, agent, turn, message, question, settings, now } = options;
  const from = entries[0]?.run ?? "";
  const end = endOf(entries, agent, turn);
  const before = [...entries.slice(0, end), ...outcomesAfter(entries, end)];
  const decided = new Set(before.flatMap((e) => (e.type === "approval:decided" ? [e.approval] : [])));
  const origin: RunOrigin = { run: from, kind: "fork", agent, turn };
  return [
    { type: "run:started", run, at: now, question, settings, origin },
    ...before.filter((entry) => stays(entry, decided)).map((entry): StoredEntry => ({ ...entry, run })),
    ...(message === undefined ? [] : [{ type: "agent:steered" as const, run, at: now, agent, message }]),
  ];
}

/** What came of calls that were on their way then: they are not made again. */
function outcomesAfter(entries: readonly StoredEntry[], end: number): StoredEntry[] {
  const open = new Set<string>();
  for (const entry of entries.slice(0, end))
    if (isIntent(entry)) open.add(entry.call);
    else if (isOutcome(entry) || entry.type === "call:withdrawn") open.delete(entry.call);
  return entries.slice(end).filter((entry) => isOutcome(entry) && open.delete(entry.call));
}

type Intent = Extract<StoredEntry, { type: "call:dispatched" | "record:intent" | "record:executing" }>;

const isIntent = (entry: StoredEntry): entry is Intent =>
  entry.type === "call:dispatched" || entry.type === "record:intent" || entry.type === "record:executing";

/** What came of a call; whether its agent may stop with a terminal one is decided anew. */
const isOutcome = (entry: StoredEntry) => entry.type === "call:settled" || entry.type === "record:executed";

/** A question to a person that was not answered is asked again, as the new run's own. */
const stays = (entry: StoredEntry, decided: ReadonlySet<string>): boolean =>
  entry.type === "approval:requested"
    ? decided.has(entry.approval.id)
    : !entry.type.startsWith("run:") && entry.type !== "approval:void";

/** The place of the first entry that does not count any more. */
function endOf(entries: readonly StoredEntry[], agent: string, turn: number): number {
  const turns = entries.flatMap((e) => (e.type === "turn:completed" && e.agent === agent ? [e.turn] : []));
  const last = Math.max(0, ...turns);
  if (!entries.some((entry) => entry.type === "agent:spawned" && entry.agent === agent)) {
    const agents = entries.flatMap((entry) => (entry.type === "agent:spawned" ? [entry.agent] : []));
    throw new ForkError(`There is no agent ${agent} in this run; it has ${agents.join(", ")}.`);
  }
  if (!Number.isInteger(turn) || turn < 0 || turn > last)
    throw new ForkError(
      `Agent ${agent} has no turn ${turn}; it has ${last === 0 ? "none" : `1 to ${last}`}, and 0 is before the first.`,
    );
  const end = entries.findIndex(
    (entry) =>
      "agent" in entry &&
      entry.agent === agent &&
      ((entry.type === "turn:started" && entry.turn > turn) ||
        (entry.type === "record:return" && entry.turn >= turn) ||
        entry.type === "record:stopped" ||
        entry.type === "agent:returned" ||
        entry.type === "agent:ended"),
  );
  return end < 0 ? entries.length : end;
}
