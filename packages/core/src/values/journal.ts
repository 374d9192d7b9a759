import type { Operation } from "effection";
import type { Exit } from "./agent.ts";
import type { ApprovalDecision } from "./approval.ts";
import type { Outcome } from "./call.ts";
import type { PoolEvent } from "./event.ts";
import type { Args, Json } from "./json.ts";
import type { ReviewNote } from "./review.ts";

/** One entry of a run's record: what happened, in the run's one total order. */
export type JournalEntry = PoolEvent | RecordEntry;

/** What resuming a run takes beside its events. Never among events: it is for the record alone, and may be private. */
export type RecordEntry = { readonly run: string; readonly at: number } & Noted;

/** A {@link RecordEntry} before it is stamped with run and time. */
export type Noted =
  /** A process took the run up: what follows is its. Time between two processes counts for no budget. */
  | { readonly type: "record:begun" }
  /** What a pool's agents can call. `digest` is of the tool's parameters. */
  | { readonly type: "record:pool"; readonly pool: string; readonly tools: readonly RecordedTool[] }
  /** A value that models of a pool may not see, and its placeholder. Private. */
  | {
      readonly type: "record:redacted";
      readonly pool: string;
      readonly placeholder: string;
      readonly value: string;
      /** Whether it was a text, or these are the digits of a number. */
      readonly form: "string" | "number";
      readonly kind: string;
    }
  /** What an agent started with: so many extensions of its pool's spine, or its parent's conversation at a place. */
  | {
      readonly type: "record:forked";
      readonly agent: string;
      readonly spine?: number;
      readonly parent?: { readonly place: number; readonly reads: number };
    }
  /** The tools that a turn sees. */
  | {
      readonly type: "record:routed";
      readonly agent: string;
      readonly turn: number;
      readonly attempt: number;
      readonly names: readonly string[];
    }
  /** What an agent was told before a turn; `steers` of the messages were people's. */
  | {
      readonly type: "record:heard";
      readonly agent: string;
      readonly turn: number;
      readonly attempt: number;
      readonly messages: readonly string[];
      readonly steers: number;
      readonly context: boolean;
    }
  /** The calls of a step that passed their gates. Those that did not are on record as refused, cancelled or substituted. */
  | {
      readonly type: "record:step";
      readonly agent: string;
      readonly turn: number;
      readonly attempt: number;
      /** Whether somebody judged it: its calls then run one after another. */
      readonly judged: boolean;
      readonly todos: readonly string[];
      readonly reviews: readonly ReviewNote[];
      readonly calls: readonly PassedCall[];
    }
  /** What entered the context in place of a result that did not fit. */
  | {
      readonly type: "record:fitted";
      readonly agent: string;
      readonly call: string;
      readonly outcome: Outcome;
      readonly dropped: boolean;
    }
  /** What a hook said after a result was read; nothing where there is no message. */
  | {
      readonly type: "record:followed";
      readonly agent: string;
      readonly call: string;
      readonly message?: string;
    }
  /**
   * A call is about to execute: one of a tool that is idempotent, once it has its permit (`record:intent`); a terminal
   * one, which counts nowhere as a call, so that no `call:dispatched` says it (`record:executing`).
   */
  | {
      readonly type: "record:intent" | "record:executing";
      readonly agent: string;
      readonly call: string;
      readonly identity: string;
      readonly args: Args;
      readonly attempt: number;
    }
  /** What a terminal call came to; nobody was asked yet whether its agent may stop. */
  | {
      readonly type: "record:executed";
      readonly agent: string;
      readonly call: string;
      readonly outcome: Outcome;
      /** Its process ended in the middle of it: nobody knows whether it ran. */
      readonly unknown?: true;
    }
  /** Whether an agent may stop with what it said. */
  | {
      readonly type: "record:return";
      readonly agent: string;
      readonly turn: number;
      readonly attempt: number;
      readonly verdict: RecordedReturn;
    }
  /** Why an agent is asked for its report. */
  | {
      readonly type: "record:stopped";
      readonly agent: string;
      readonly stop: string;
      /** What people had said that it hears with it. */
      readonly heard: readonly string[];
    }
  /** An agent ended with the scope it was spawned in. Should that be opened again, it goes on from its record. */
  | { readonly type: "record:halted"; readonly agent: string }
  /** The result of a harness's own step. */
  | { readonly type: "record:effect"; readonly key: string; readonly value: Json };

/** A tool as its pool had it. */
export interface RecordedTool {
  readonly name: string;
  readonly identity: string;
  readonly digest: string;
}

export interface PassedCall {
  readonly call: string;
  /** Names of the guards that looked at what was read. */
  readonly lookers: readonly string[];
  /** Why a person is asked first; absent: nobody is. */
  readonly approval?: string;
}

export type RecordedReturn =
  | {
      readonly type: "ended";
      readonly exit: Exit;
      readonly result?: unknown;
      /** Set where `result` is what the task's schema makes of it. */
      readonly raw?: unknown;
      readonly report?: Args;
      readonly reason?: string;
    }
  | {
      readonly type: "rejected";
      readonly outcome: Extract<Outcome, { message: string }>;
      /** What was wrong: its tool failed, its form, or a hook said no. */
      readonly why: "failed" | "form" | "hook";
    };

/** Whether an entry is one that observers see too. */
export const isEvent = (entry: JournalEntry): entry is PoolEvent => !entry.type.startsWith("record:");

/**
 * Where a run is recorded. The record is fail-closed: an error of `append` or `flush` ends the run, since what is not
 * on record must not execute.
 *
 * A call's intent (`call:dispatched`; of a tool that is idempotent `record:intent`, of a terminal call
 * `record:executing`) is flushed before it executes, its outcome before the model reads it, and an agent's end before
 * anybody waits for it no more. Deltas and progress are not recorded. An agent that is halted with its run, as by a
 * crash, has no `agent:ended`: a run ends on record with `pool:closed`.
 */
export interface Journal {
  /** What earlier processes recorded of this run, in order; empty for a new one. Any prefix of it will do. */
  readonly recorded: readonly JournalEntry[];
  /** Takes the next entry. Entries become durable in this order: what is flushed is a prefix of it. */
  append(entry: JournalEntry): void;
  /** Everything appended so far is durable, at once (undefined) or when the promise resolves. */
  flush(): PromiseLike<void> | undefined;
  /**
   * Decisions on approvals that are made elsewhere, in another process for example. It runs beside the run and gives
   * each as it comes, also before its call waits for it again. A decision that comes second is ignored.
   *
   * ```ts
   * *decisions(decide) {
   *   for (const row of yield* each(decided)) {
   *     decide(row.approval, row.denied ? { type: "denied", reason: row.reason } : { type: "approved" });
   *     yield* each.next();
   *   }
   * }
   * ```
   *
   * Those made while no process had the run may be in `recorded` instead, as `approval:decided`.
   */
  decisions?(decide: (approval: string, decision: ApprovalDecision) => void): Operation<void>;
  /**
   * Puts down a decision that was made in this process, and says which one stands: the first, wherever it was made.
   * Absent: this one.
   */
  decide?(approval: string, decision: ApprovalDecision): ApprovalDecision | PromiseLike<ApprovalDecision>;
  /** A value as it stands on record, where that keeps secrets out. Absent: as it is. */
  asRecorded?<T extends Json | Args>(value: T): T;
  /**
   * What stands on record in place of a secret. A call that has it in its arguments when its run is taken up does not run
   * with that: its agent is told to make it again. Absent: nothing is kept out.
   */
  readonly hidden?: string;
  /** Takes the run up although tasks, tools or schemas are not those on record. Default false: {@link ResumeError}. */
  readonly force?: boolean;
}
