import { RESERVED } from "../decisions/overrides.ts";
import { estimateTokens } from "../decisions/result.ts";
import type { JournalEntry } from "../values/journal.ts";
import type { Args } from "../values/json.ts";
import type { Fate } from "./replay-guards.ts";

/** Everything that a record says about one call, gathered before it is replayed. */
export interface RecordedFate {
  readonly call: string;
  readonly agent: string;
  readonly turn: number;
  /** The tool it is judged as. */
  tool: string;
  /** As they were executed, or as a hook made them; undefined: only as the model wrote them. */
  args: Args | undefined;
  readonly input: string;
  fate: Fate;
  ms: number | undefined;
  tokens: number | undefined;
  turnsAfter: number;
}

export function recordedCalls(entries: readonly JournalEntry[]): Map<string, RecordedFate> {
  const calls = new Map<string, RecordedFate>();
  const turns = new Map<string, number>();
  for (const entry of entries) {
    if (entry.type === "turn:completed")
      turns.set(entry.agent, Math.max(turns.get(entry.agent) ?? 0, entry.turn));
    if (entry.type === "call:proposed")
      calls.set(entry.call, {
        call: entry.call,
        agent: entry.agent,
        turn: entry.turn,
        tool: entry.tool,
        args: undefined,
        input: entry.input,
        fate: { type: "other" },
        ms: undefined,
        tokens: undefined,
        turnsAfter: 0,
      });
    else if ("call" in entry && entry.call !== undefined) {
      const call = calls.get(entry.call);
      if (call) note(call, entry);
    }
  }
  for (const call of calls.values()) call.turnsAfter = Math.max(0, (turns.get(call.agent) ?? 0) - call.turn);
  return calls;
}

function note(call: RecordedFate, entry: JournalEntry): void {
  switch (entry.type) {
    case "call:rewritten":
      call.tool = entry.to.tool;
      call.args = entry.to.args;
      return;
    case "call:dispatched":
      call.args = entry.args;
      call.fate = { type: "ran" };
      return;
    case "call:settled":
      if (call.fate.type !== "ran") return; // the call that ends its agent is none of the guards' business
      call.ms = entry.ms;
      call.tokens = estimateTokens(
        JSON.stringify(entry.outcome.type === "ok" ? (entry.outcome.value ?? null) : entry.outcome) ?? "",
      );
      return;
    case "call:refused":
    case "call:cancelled": {
      if (isOurs(entry.guard)) return;
      const { guard, message } = entry;
      call.fate = { type: entry.type === "call:refused" ? "refused" : "cancelled", guard, message };
      return;
    }
    case "call:substituted":
      call.fate = { type: "substituted", guard: entry.guard };
      return;
    case "call:withdrawn":
    case "call:discarded":
      call.fate = { type: "other" };
      return;
  }
}

/** A check of the framework's own, which no setting changes. A guard that broke is the guard's. */
const isOurs = (guard: string): boolean =>
  guard !== "hook_error" && (RESERVED as readonly string[]).includes(guard);
