import { addSpent, nothingSpent, type Spent } from "../decisions/spend.ts";
import type { JournalEntry } from "../values/journal.ts";
import { noUsage, type Usage } from "../values/usage.ts";

/** What is on record about one generation of an agent, and the reviews of its turn. */
export interface RecordedGeneration {
  readonly agent: string;
  readonly turn: number;
  /** Restarts of its turn before it. */
  readonly attempt: number;
  /** It was asked for, so that its agent reports. */
  readonly forced: boolean;
  /** When the process that had it last began it, in milliseconds since the epoch; undefined: another has yet to. */
  since: number | undefined;
  /** Milliseconds until it was there; 0 where it never was. */
  ms: number;
  input: number;
  output: number;
  /** US dollars; undefined: nobody knew its model's price, or it never was there. */
  cost: number | undefined;
  /** What its reviews used, and attempts at it that came to nothing. */
  besides: Spent;
  isComplete: boolean;
}

/** The generations of a record, and the one that each of their entries is about. */
export interface RecordedGenerations {
  readonly all: readonly RecordedGeneration[];
  readonly of: ReadonlyMap<JournalEntry, RecordedGeneration>;
}

/** What the generations of a record used. One that was begun again, after a rate limit or by another process, is one. */
export function recordedGenerations(entries: readonly JournalEntry[]): RecordedGenerations {
  const all: RecordedGeneration[] = [];
  const of = new Map<JournalEntry, RecordedGeneration>();
  const latest = new Map<string, RecordedGeneration>();
  const attempts = new Map<string, number>();
  for (const entry of entries) {
    // time between two processes is nobody's
    if (entry.type === "record:begun") for (const generation of latest.values()) generation.since = undefined;
    if (!("agent" in entry) || entry.agent === undefined) continue;
    const last = latest.get(entry.agent);
    switch (entry.type) {
      case "turn:started": {
        const { agent, turn, forced, at } = entry;
        const attempt = attempts.get(`${agent}:${turn}`) ?? 0;
        const isAgain = last && !last.isComplete && last.turn === turn && last.forced === forced;
        const generation = isAgain ? last : begun({ agent, turn, attempt, forced });
        generation.since ??= at;
        if (!isAgain) all.push(generation);
        latest.set(agent, generation);
        of.set(entry, generation);
        break;
      }
      case "turn:completed": {
        if (!last) break;
        const { input, output } = entry.result.usage;
        const ms = entry.at - (last.since ?? entry.at);
        Object.assign(last, { input, output, cost: entry.cost, ms, isComplete: true });
        of.set(entry, last);
        break;
      }
      case "turn:restarted":
        attempts.set(`${entry.agent}:${entry.turn}`, entry.attempt + 1);
        break;
      case "review:matched":
      case "review:passed":
      case "review:restarted":
      case "review:failed":
      case "model:limited":
      case "turn:failed":
        if (!last) break;
        last.besides = addSpent(last.besides, spentOn(entry));
        of.set(entry, last);
        break;
    }
  }
  return { all, of };
}

const begun = (
  start: Pick<RecordedGeneration, "agent" | "turn" | "attempt" | "forced">,
): RecordedGeneration => ({
  ...start,
  since: undefined,
  ms: 0,
  input: 0,
  output: 0,
  cost: undefined,
  besides: nothingSpent,
  isComplete: false,
});

/** What a generation used, by itself. */
export const spentIn = ({ input, output, cost = 0 }: RecordedGeneration): Spent => ({
  tokens: input + output,
  cost,
});

/** What something else than a turn used: a review, an attempt that came to nothing. */
export const spentOn = ({
  usage = noUsage,
  cost = 0,
}: {
  readonly usage?: Usage;
  readonly cost?: number | undefined;
}): Spent => ({ tokens: usage.input + usage.output, cost });
