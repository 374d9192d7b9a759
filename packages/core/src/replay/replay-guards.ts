import type { Operation } from "effection";
import type { GuardOverrides } from "../values/guard.ts";
import type { ToolLifecycleHooks } from "../values/hooks.ts";
import type { JournalEntry } from "../values/journal.ts";
import type { Args } from "../values/json.ts";
import type { Tool } from "../values/tool.ts";
import { recordedCalls } from "./recorded-calls.ts";
import { replayEntry } from "./replay-entry.ts";
import { createReplay } from "./replay-state.ts";
import { ReplayedFates } from "./replayed-fates.ts";

/**
 * What a recorded run is looked at with: the tools and hooks that hold its guards, how these are set, and what the run
 * may do. A list or a limit that is given takes the place of the run's; of one that is absent, what it decided stands.
 */
export interface GuardReplay {
  readonly tools: readonly Tool[];
  readonly hooks?: readonly ToolLifecycleHooks[];
  readonly guards?: GuardOverrides;
  /** Names, identities and patterns of tools, as in a pool's options. */
  readonly deny?: readonly string[];
  readonly requireApproval?: readonly string[];
  /** Of `protected` tools. */
  readonly grants?: readonly string[];
  /** Calls of one agent that execute. Once they are used up it reports, and takes no further turn. */
  readonly maxToolCalls?: number;
  /** The same of a tool, by its name. Tools without one are as they were. */
  readonly maxCallsPerTool?: Readonly<Record<string, number>>;
  /** The lists that the run had. What it denied or asked about beyond them was its program's doing, and stands. */
  readonly had?: { readonly deny: readonly string[]; readonly requireApproval: readonly string[] };
}

/**
 * What became of a call, as far as settings go. `guard` of a refusal by the run itself is one of the reserved names:
 * `deny`, `auth_reject`, `limit`, `approval` (a person said no), `hook_error` (the guard broke).
 */
export type Fate =
  /** It ran, or would have. */
  | { readonly type: "ran" }
  | {
      readonly type: "refused" | "cancelled" | "substituted";
      readonly guard: string;
      readonly message?: string;
    }
  /** It would wait for a person, who was not asked then. What they would say is not known. */
  | { readonly type: "asked"; readonly reason: string }
  /** Nothing that settings decide: it was withdrawn or discarded, it cannot be read, or its agent would not have made it. */
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
  /** Whether a person was asked first, and would be. One who was asked then has decided. */
  readonly asked: { readonly recorded: boolean; readonly replayed: boolean };
  /** Guards that broke when they were asked here. */
  readonly broken: readonly string[];
  /** Its tool is none of those that were given: of its guards, those of the hooks alone were asked. */
  readonly unknownTool: boolean;
  /** Of a call that ran: milliseconds, and an estimate of the tokens of its result. */
  readonly ms: number | undefined;
  readonly tokens: number | undefined;
  /** Turns of its agent after the one that made it: each reads its result again. */
  readonly turnsAfter: number;
}

/**
 * Takes the calls of a recorded run through their gates again, under other settings, call by call in the order of the
 * record: denies, grants, guards, limits, static approvals. No model and no tool runs; guards are asked as they are
 * asked live, by the same code.
 *
 * A call that is refused here was not read by those that come after it; one that is allowed here and was refused then
 * is taken to succeed, and so is one that would wait for a person. It cannot know what a model would have done instead,
 * what a person or a reviewer would have said, and what a guard was whose code has changed.
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
  const fates = new ReplayedFates(calls);
  const state = createReplay(calls, fates, settings);
  for (const entry of entries) yield* replayEntry(state, entry);
  return [...calls.values()].map((recorded) => ({
    call: recorded.call,
    agent: recorded.agent,
    turn: recorded.turn,
    tool: recorded.tool,
    args: recorded.args,
    recorded: recorded.fate,
    replayed: fates.of(recorded.call) ?? recorded.fate,
    asked: { recorded: recorded.asked !== undefined, replayed: fates.isAsked(recorded.call) },
    broken: fates.brokenOn(recorded.call),
    unknownTool: !state.tools.isKnown(recorded.tool),
    ms: recorded.ms,
    tokens: recorded.tokens,
    turnsAfter: recorded.turnsAfter,
  }));
}
