import type { Operation } from "effection";
import type { GuardOverrides } from "../values/guard.ts";
import type { ToolLifecycleHooks } from "../values/hooks.ts";
import type { JournalEntry } from "../values/journal.ts";
import type { Args } from "../values/json.ts";
import type { Tool } from "../values/tool.ts";
import { recordedCalls } from "./recorded-calls.ts";
import { Replay } from "./replay.ts";

/** What a recorded run is looked at with: the tools and hooks that hold its guards, and how these are set. */
export interface GuardReplay {
  readonly tools: readonly Tool[];
  readonly hooks?: readonly ToolLifecycleHooks[];
  readonly guards?: GuardOverrides;
}

/** What became of a call, as far as guards go. */
export type Fate =
  /** It ran, or would have. */
  | { readonly type: "ran" }
  | {
      readonly type: "refused" | "cancelled" | "substituted";
      readonly guard: string;
      readonly message?: string;
    }
  /** Nothing that guards decide: it was withdrawn, discarded, a review or a limit kept it; or its tool is not known. */
  | { readonly type: "other" };

/** A call of a recorded run, and what other guard settings would have made of it. */
export interface ReplayedCall {
  readonly call: string;
  readonly agent: string;
  readonly turn: number;
  readonly tool: string;
  readonly args: Args | undefined;
  readonly recorded: Fate;
  readonly replayed: Fate;
  /** Of a call that ran: milliseconds, and an estimate of the tokens of its result. */
  readonly ms: number | undefined;
  readonly tokens: number | undefined;
  /** Turns of its agent after the one that made it: each reads its result again. */
  readonly turnsAfter: number;
}

/**
 * Asks the guards of a recorded run again, under other settings, call by call in the order of the record. No model
 * and no tool runs; guards are asked as they are asked live, by the same code.
 *
 * A call that is refused here was not read by those that come after it; one that is allowed here and was refused then
 * is taken to succeed. What it cannot know is what a model would have done instead.
 *
 * ```ts
 * const calls = yield* replayGuards(yield* store.record(run), { tools, guards: { url_dedup: { scope: "cohort" } } });
 * ```
 */
export function* replayGuards(
  entries: readonly JournalEntry[],
  settings: GuardReplay,
): Operation<readonly ReplayedCall[]> {
  const calls = recordedCalls(entries);
  const replay = new Replay(calls, settings);
  for (const entry of entries) yield* replay.take(entry);
  return [...calls.values()].map((recorded) => ({
    call: recorded.call,
    agent: recorded.agent,
    turn: recorded.turn,
    tool: recorded.tool,
    args: recorded.args,
    recorded: recorded.fate,
    replayed: replay.fateOf(recorded.call) ?? recorded.fate,
    ms: recorded.ms,
    tokens: recorded.tokens,
    turnsAfter: recorded.turnsAfter,
  }));
}
