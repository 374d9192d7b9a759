import type { ReviewNote } from "@agentpool/core";
import type { RecordedSource, RunOrigin, StoppedBy, StoredEntry } from "./entry.ts";

/**
 * `waiting`: for people. `interrupted`: its process is gone and it had not come to its end. `cancelled`: its person ended
 * it, with a partial answer or at once.
 */
export type RunStatus = "running" | "waiting" | "interrupted" | "completed" | "failed" | "cancelled";

/** A run at a glance. Times are ISO 8601; `cost` is in US dollars, null where a price is not known. */
export interface RunSummary {
  readonly id: string;
  readonly question: string;
  readonly status: RunStatus;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly agents: number;
  /** As the pool counts them: without the reports that a limit asked for, and what was sent back. */
  readonly turns: number;
  readonly calls: number;
  readonly refusals: number;
  /** Read and generated. */
  readonly tokens: number;
  readonly cost: number | null;
}

/** What is on record of a run. */
export interface RunView extends RunSummary {
  readonly origin: RunOrigin | null;
  /** What it ran with. */
  readonly settings: unknown;
  /** The brief, or whatever it gave; null where it gave nothing. */
  readonly answer: unknown;
  readonly error: string | null;
  /** Who stopped it before it came to its end; null where nobody did, as in a crash. It can be resumed then. */
  readonly stopped: StoppedBy | null;
  readonly usage: { readonly input: number; readonly output: number; readonly cached: number };
  /** In the order they were spawned. */
  readonly agentViews: readonly AgentView[];
  readonly approvals: readonly ApprovalView[];
  readonly sources: readonly RecordedSource[];
}

/** A run to take elsewhere. */
export interface RunExport {
  readonly view: RunView;
  /** In order. Some are of this machine alone: see `isPrivate`. */
  readonly entries: readonly StoredEntry[];
}

export interface AgentView {
  readonly agent: string;
  readonly pool: string;
  /** The agent it was forked from; null where it was forked from the spine. */
  readonly parent: string | null;
  readonly depth: number;
  readonly model: string | null;
  readonly task: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Null while it is not over. */
  readonly exit: string | null;
  readonly reason: string | null;
  readonly result: unknown;
  /** Every generation: see {@link TurnView} on which of them count as turns. */
  readonly turns: readonly TurnView[];
}

/** A generation. It counts as a turn unless it is a forced report, was sent back, or came to nothing. */
export interface TurnView {
  readonly turn: number;
  /** From 0; one more each time a reviewer or a hook had it generated again. */
  readonly attempt: number;
  /** The report it was made to give. */
  readonly forced: boolean;
  readonly startedAt: string;
  readonly ms: number;
  /** The model that generated it. */
  readonly model: string | null;
  /** `calls`, `stop`, `length` or `refusal`, as its model said; `restarted`: it was sent back; `failed`: it came to nothing. */
  readonly finish: string;
  readonly usage: { readonly input: number; readonly output: number; readonly cached: number };
  /** What it proposed, as far as anything became of it. */
  readonly calls: readonly (CallView | RefusalView)[];
  /** Which rules were found to apply to it, and what those who reviewed it said. */
  readonly reviews: readonly ReviewView[];
}

export interface ReviewView {
  /** A step's calls, the report, or which rules apply. */
  readonly subject: "step" | "report" | "rules";
  /** What asked for it: `{ by: "agent" | "rule" | "tool", … }`; of rules, the titles of those that apply. */
  readonly asked: readonly unknown[];
  readonly verdict: "passed" | "restarted" | "failed" | "skipped" | "matched";
  /** Why there was no verdict that could be followed; null where there was. */
  readonly problem: string | null;
  /** The todo, the reasoning that took the step's place, or what went wrong. */
  readonly message: string | null;
  readonly model: string | null;
  readonly effort: string | null;
  /** The verdict on the same calls stood: nobody was asked again. */
  readonly remembered: boolean;
  readonly usage: { readonly input: number; readonly output: number; readonly cached: number };
  readonly cost: number | null;
  readonly ms: number | null;
}

export interface CallView {
  readonly type: "call";
  readonly call: string;
  readonly tool: string;
  readonly identity: string | null;
  readonly args: unknown;
  /** Null while it runs, or where it is not known. */
  readonly outcome: "ok" | "error" | "substituted" | "withdrawn" | null;
  /** Whether the agent read the result. */
  readonly attended: boolean;
  /** How often it executed. 0: one that a guard answered. */
  readonly attempts: number;
  /** It ends its agent, and counts nowhere as a call. */
  readonly terminal: boolean;
  readonly ms: number | null;
  readonly result: unknown;
}

export interface RefusalView {
  readonly type: "refused" | "cancelled";
  readonly call: string;
  readonly tool: string;
  readonly identity: string | null;
  /** The arguments, as the model wrote them. */
  readonly input: string;
  readonly guard: string;
  readonly message: string;
}

export interface ApprovalView {
  readonly run: string;
  readonly id: string;
  readonly agent: string;
  readonly call: string;
  readonly tool: string;
  readonly identity: string;
  readonly args: unknown;
  /** Why a person is asked. */
  readonly reason: string;
  /** Reviews that its step has passed. */
  readonly reviews: readonly ReviewNote[];
  readonly state: "open" | "approved" | "denied" | "void";
  readonly requestedAt: string;
  readonly decidedAt: string | null;
  readonly decidedBy: string | null;
  /** Why it was denied. */
  readonly denial: string | null;
}
