import type { Fate, ReplayedCall } from "@agentpool/core";

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
  /** Calls of agents that would not have been started. */
  readonly unmade: number;
  /** Input tokens that the results of calls it spares took in the turns after them, by estimate. */
  readonly tokensSaved: number;
  /** Milliseconds that those calls took, side by side or not. */
  readonly msSaved: number;
  /** Calls that even the run's own settings replay otherwise than it went: their guards look at more than what was read. */
  readonly uncertain: number;
}

export interface GuardChange {
  readonly call: string;
  readonly agent: string;
  readonly turn: number;
  readonly tool: string;
  readonly args: unknown;
  readonly change: "refused" | "allowed" | "asked" | "unasked" | "unmade" | "otherwise";
  readonly then: Fate;
  readonly now: Fate;
  readonly tokensSaved: number;
  readonly msSaved: number;
  readonly uncertain: boolean;
}

/** Compares a replay with the record. `before` is a replay under the settings that the run had. */
export function compareGuards(
  after: readonly ReplayedCall[],
  before: readonly ReplayedCall[],
): GuardComparison {
  const unsure = new Set(
    before.filter(({ recorded, replayed }) => !same(recorded, replayed)).map(({ call }) => call),
  );
  const changes = after.flatMap((call): GuardChange[] => {
    const { recorded: then, replayed: now, tokens = 0, ms = 0, turnsAfter } = call;
    const unasked = call.asked.recorded && !call.asked.replayed && now.type === "ran";
    if (same(then, now) && !unasked) return [];
    const spared = then.type === "ran" && now.type !== "ran" && now.type !== "asked";
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
    tokensSaved: changes.reduce((sum, { tokensSaved }) => sum + tokensSaved, 0),
    msSaved: changes.reduce((sum, { msSaved }) => sum + msSaved, 0),
    uncertain: unsure.size,
  };
}

const same = (left: Fate, right: Fate): boolean =>
  left.type === right.type && guardOf(left) === guardOf(right);

const guardOf = (fate: Fate): string | undefined => ("guard" in fate ? fate.guard : undefined);

function changeOf(then: Fate, now: Fate): GuardChange["change"] {
  if (now.type === "other") return "unmade";
  if (now.type === "asked") return "asked";
  if (then.type === "ran") return "refused";
  return now.type === "ran" ? "allowed" : "otherwise";
}
