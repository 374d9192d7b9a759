import { estimateTokens } from "../decisions/result.ts";
import { words } from "../decisions/words.ts";
import type { JournalEntry } from "../values/journal.ts";
import type { Args } from "../values/json.ts";
import type { Fate } from "./fate.ts";

/** Everything that a record says about one call, gathered before it is replayed. */
export interface RecordedFate {
  /** Its place among the calls of the record. */
  readonly index: number;
  readonly call: string;
  readonly agent: string;
  readonly turn: number;
  /** The tool that the model named, and its identity; undefined: there was none of that name. */
  readonly named: string;
  readonly identity: string | undefined;
  /** The tool it is judged as. */
  tool: string;
  /** As they were executed, or as a hook made them; undefined: only as the model wrote them. */
  args: Args | undefined;
  readonly input: string;
  fate: Fate;
  /** Why a person was asked; undefined: nobody was. */
  asked: string | undefined;
  ms: number | undefined;
  tokens: number | undefined;
}

export function recordedCalls(entries: readonly JournalEntry[]): Map<string, RecordedFate> {
  const calls = new Map<string, RecordedFate>();
  for (const entry of entries) {
    if (entry.type === "call:proposed")
      calls.set(entry.call, {
        index: calls.size,
        call: entry.call,
        agent: entry.agent,
        turn: entry.turn,
        named: entry.tool,
        identity: entry.identity,
        tool: entry.tool,
        args: undefined,
        input: entry.input,
        fate: { type: "other" },
        asked: undefined,
        ms: undefined,
        tokens: undefined,
      });
    else if (entry.type === "record:step")
      for (const { call, approval } of entry.calls) {
        const passed = calls.get(call);
        if (passed) passed.asked = approval;
      }
    else if ("call" in entry && entry.call !== undefined) {
      const call = calls.get(entry.call);
      if (call) note(call, entry);
    }
  }
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
    case "approval:requested":
      call.asked = entry.approval.reason;
      return;
    case "call:refused":
    case "call:cancelled": {
      const { guard, message } = entry;
      if (isUnchangeable(guard, message)) return;
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

/** A refusal that no setting changes: of a call that cannot be read, that waits for itself, of a step sent back too often. */
const isUnchangeable = (guard: string, message: string): boolean =>
  guard === "invalid" || guard === "in_flight" || (guard === "limit" && message.startsWith(SENT_BACK));

const [SENT_BACK = ""] = words.restarts(0).split(" 0 ");
