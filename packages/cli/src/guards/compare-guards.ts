import type { Fate, ReplayedRun, ReplayedStop, ReplayedTurn } from "@agentpool/core";

/** What other guard settings would have made of a run. */
export interface GuardComparison {
  /** The calls that something else would have become of, in the order of the record. */
  readonly changes: readonly GuardChange[];
  readonly calls: number;
  readonly refused: number;
  readonly allowed: number;
  /** Calls that would wait for a person who was not asked then, and those that would no longer. */
  readonly asked: number;
  readonly unasked: number;
  /** Calls of turns that would not have been taken, and those that time would have cut short. */
  readonly unmade: number;
  readonly withdrawn: number;
  /** The agents that would have been stopped, in the order of the record. */
  readonly stops: readonly Stop[];
  /** Turns that would not have been taken; the reports in place of some are none of them. */
  readonly turnsSaved: number;
  /**
   * Tokens that these turns used, in and out, and by estimate what the results of other calls that it spares took in
   * the turns that read them again.
   */
  readonly tokensSaved: number;
  /** US dollars that these turns cost, as far as prices are on record. */
  readonly costSaved: number;
  /** Milliseconds that these turns and the calls that it spares took, side by side or not. */
  readonly msSaved: number;
  /** Calls that even the run's own settings replay otherwise than it went: their guards look at more than what was read. */
  readonly uncertain: number;
}

/** An agent that takes no further turn here. */
export interface Stop {
  readonly agent: string;
  /** The turn that it does not take. */
  readonly turn: number;
  readonly by: ReplayedStop;
  /** Whether it reports in place of that. */
  readonly reports: boolean;
  /** Turns of it that are left out. */
  readonly turns: number;
}

export interface GuardChange {
  readonly call: string;
  readonly agent: string;
  readonly turn: number;
  readonly tool: string;
  readonly args: unknown;
  readonly change: "refused" | "allowed" | "asked" | "unasked" | "unmade" | "withdrawn" | "otherwise";
  readonly then: Fate;
  readonly now: Fate;
  readonly tokensSaved: number;
  readonly msSaved: number;
  readonly uncertain: boolean;
}

/** Compares a replay with the record. `before` is a replay under the settings that the run had. */
export function compareGuards({ calls: after, turns }: ReplayedRun, before: ReplayedRun): GuardComparison {
  const unsure = new Set(
    before.calls.filter(({ recorded, replayed }) => !same(recorded, replayed)).map(({ call }) => call),
  );
  const changes = after.flatMap((call): GuardChange[] => {
    const { recorded: then, replayed: now, tokens = 0, ms = 0, turnsAfter } = call;
    const unasked = call.asked.recorded && !call.asked.replayed && now.type === "ran";
    if (same(then, now) && !unasked) return [];
    const spared = then.type === "ran" && !STARTS.has(now.type);
    return [
      {
        call: call.call,
        agent: call.agent,
        turn: call.turn,
        tool: call.tool,
        args: call.args,
        change: same(then, now) ? "unasked" : changeOf(then, now),
        then,
        now,
        tokensSaved: spared ? tokens * turnsAfter : 0,
        msSaved: spared ? Math.round(ms) : 0,
        uncertain: unsure.has(call.call),
      },
    ];
  });
  const missed = turns.filter(({ replayed }) => replayed.type === "missed");
  const count = (change: GuardChange["change"]): number =>
    changes.filter((one) => one.change === change).length;
  return {
    changes,
    calls: after.filter(({ recorded }) => recorded.type !== "other").length,
    refused: count("refused"),
    allowed: count("allowed"),
    asked: count("asked"),
    unasked: count("unasked"),
    unmade: count("unmade"),
    withdrawn: count("withdrawn"),
    stops: stopsIn(turns),
    turnsSaved: missed.length,
    tokensSaved: sum(changes, "tokensSaved") + sum(missed, "tokens"),
    costSaved: Math.round(sum(missed, "cost") * 1e6) / 1e6,
    msSaved: sum(changes, "msSaved") + sum(missed, "ms"),
    uncertain: unsure.size,
  };
}

/** What becomes of a call that runs at least for a while. */
const STARTS: ReadonlySet<Fate["type"]> = new Set(["ran", "asked", "withdrawn"]);

const sum = <K extends string>(all: readonly { readonly [_ in K]: number }[], of: K): number =>
  all.reduce((total, one) => total + one[of], 0);

function stopsIn(turns: readonly ReplayedTurn[]): Stop[] {
  const stops = new Map<string, Stop>();
  for (const { agent, turn, replayed } of turns) {
    if (replayed.type === "taken") continue;
    const { by, type } = replayed;
    const stop = stops.get(agent) ?? { agent, turn, by, reports: type === "reports", turns: 0 };
    stops.set(agent, { ...stop, turns: stop.turns + (type === "missed" ? 1 : 0) });
  }
  return [...stops.values()];
}

const same = (left: Fate, right: Fate): boolean => left.type === right.type && whose(left) === whose(right);

const whose = (fate: Fate): string | undefined =>
  "guard" in fate ? fate.guard : "by" in fate ? fate.by : undefined;

function changeOf(then: Fate, now: Fate): GuardChange["change"] {
  if (now.type === "unmade" || now.type === "withdrawn" || now.type === "asked") return now.type;
  if (then.type === "ran") return "refused";
  return now.type === "ran" ? "allowed" : "otherwise";
}
