import type { AgentResult, Totals } from "./agent.ts";
import type { ApprovalDecision } from "./approval.ts";
import type { Outcome } from "./call.ts";
import type { ParkReason, PoolEvent } from "./event.ts";
import type { Noted, PassedCall, RecordedReturn, RecordedTool } from "./journal.ts";
import type { Args } from "./json.ts";
import type { LimitReason, Turn } from "./model.ts";
import type { RecordedReview } from "./review.ts";
import type { Usage } from "./usage.ts";

/** What is on record about one call. What is absent was not decided. */
export interface RecordedCall {
  readonly id: string;
  readonly agent: string;
  proposed: boolean;
  /** It was sent back with its step. */
  discarded: boolean;
  /** What hooks made of it. */
  rewrite: { readonly tool: string; readonly args: Args } | undefined;
  /** It passed its gates. */
  passed: PassedCall | undefined;
  /** Approvals it asked for, by id: those that are void are not among them. */
  readonly approvals: Set<string>;
  /** Its latest intent. */
  dispatched: { readonly attempt: number; readonly identity: string; readonly args: Args } | undefined;
  /** Whether it was seen to execute: it is a call that was made. */
  made: boolean;
  /** When its latest attempt began. */
  since: number | undefined;
  /** Its latest attempt is over, and the next one is due. */
  retry: { readonly attempt: number; readonly until: number } | undefined;
  /** Whether its latest attempt opened a pool. */
  nests: boolean;
  /** Milliseconds that attempts which are over have used. */
  usedMs: number;
  /** Of a terminal call: what it came to, and whether nobody knows. */
  executed: { readonly outcome: Outcome; readonly unknown: boolean } | undefined;
  /** What it waited for when the record ends. */
  parked: ParkReason | undefined;
  outcome: Outcome | undefined;
  /** Where it was refused or cancelled: which of its agent's refusals that is, and the tool that it was of by then. */
  refusal: { readonly index: number; readonly tool: string } | undefined;
  fitted: { readonly outcome: Outcome; readonly dropped: boolean } | undefined;
  admitted: boolean;
  followed: { readonly message: string | undefined } | undefined;
}

/** What is on record about one attempt at a turn. */
export interface RecordedTurn {
  /** Tools it saw. */
  names: readonly string[] | undefined;
  readonly heard: { readonly messages: readonly string[]; readonly context: boolean }[];
  result: Turn | undefined;
  /** Its calls passed their gates, and were judged or not. */
  step: Omit<Extract<Noted, { type: "record:step" }>, "type" | "agent" | "turn" | "attempt"> | undefined;
  /** What those who reviewed it said, as far as nobody has taken it up again. */
  readonly reviews: RecordedReview[];
  /** It was sent back. */
  restarted: Extract<PoolEvent, { type: "turn:restarted" }> | undefined;
  returned: RecordedReturn | undefined;
}

/** What is on record about an agent. */
export interface RecordedAgent {
  readonly key: string;
  readonly pool: string;
  readonly task: string;
  /** Whether it was started again in this process. */
  claimed: boolean;
  /** So many extensions its pool's spine had when it was forked from that; or a place in its parent's conversation. */
  spine: number | undefined;
  parent: { readonly place: number; readonly reads: number } | undefined;
  /** Whom its conversation started from, and the places at which others started from its own. */
  readonly from: string | undefined;
  readonly forkedAt: Set<number>;
  /** By turn and attempt: `3.0`. */
  readonly turns: Map<string, RecordedTurn>;
  /** The last turn there is anything about. */
  lastTurn: number;
  /** It is generating, and moved on to this model meanwhile. */
  generating: boolean;
  movedTo: string | undefined;
  /** The attempt at that turn, and whether a generation that began was its report. */
  attempt: number;
  forced: boolean;
  /** Why it was asked for its report, and the report's turn. */
  stop: { readonly why: string; readonly heard: readonly string[] } | undefined;
  report: Turn | undefined;
  /** Its model's limit that it waits out, with the attempts so far. */
  limited: { readonly until: number; readonly attempt: number; readonly reason: LimitReason } | undefined;
  readonly calls: Map<string, RecordedCall>;
  /** What people told it that it has not heard. */
  readonly steers: string[];
  parks: number;
  /** How many of its calls were refused or cancelled. */
  refusals: number;
  usage: Usage;
  /** It ended with the scope it was spawned in. */
  halted: boolean;
  /** Its end, by itself or because somebody cancelled it. */
  result: AgentResult | undefined;
}

/** What is on record about a pool. */
export interface RecordedPool {
  readonly key: string;
  /** The pool it was opened in, and the call that opened it. */
  readonly within: string | undefined;
  readonly call: string | undefined;
  tools: readonly RecordedTool[];
  readonly redacted: {
    readonly placeholder: string;
    readonly value: string;
    readonly form: "string" | "number";
  }[];
  readonly extensions: { readonly user: string; readonly assistant: string }[];
  closed: boolean;
}

/** What the pools of a tree share. */
export interface RecordedTree {
  readonly totals: { -readonly [K in keyof Totals]: Totals[K] };
  readonly spent: { tokens: number; cost: number };
  longestTurn: number;
  /** Parked retries. */
  retries: number;
  /** Milliseconds that processes worked on it. */
  elapsed: number;
  /** Successes that were read, in order. */
  readonly reads: { readonly identity: string; readonly args: Args }[];
  readonly agents: Set<string>;
  /** Its events, in order, for those who watch the run go on. */
  readonly events: PoolEvent[];
}

/** Decisions on approvals, by the approval's id. */
export type RecordedDecisions = ReadonlyMap<string, ApprovalDecision>;
