import type { JournalEntry } from "@agentpool/core";

/** A point of another run that this one runs on from. */
export interface RunOrigin {
  readonly run: string;
  readonly kind: "fork" | "ask";
  /** Where it was forked: the agent, and the last of its turns that still counts. */
  readonly agent?: string;
  readonly turn?: number;
}

/** A document that some agent saw. */
export interface RecordedSource {
  /** Path or URL. */
  readonly source: string;
  readonly title: string;
  /** Lines that were read; empty where a search only named it. */
  readonly lines: readonly (readonly [from: number, to: number])[];
  readonly readBy: readonly string[];
  /** Quotations that the answer takes from it. */
  readonly quotations: number;
}

/** How a run came to its end. */
export type RunEnding = "completed" | "failed" | "cancelled";

/**
 * Who had a run stop at once: its person with ctrl-c, which cancels it; or whoever sent a signal, a supervisor or a
 * terminal that was closed, which interrupts it.
 */
export type StoppedBy = "ctrl-c" | "SIGTERM" | "SIGHUP";

/** What a run says about itself, beside what happens in its pools. */
export type RunEntry = { readonly run: string; readonly at: number } & (
  | {
      readonly type: "run:started";
      readonly question: string;
      /** What it runs with, so that it can run on without being told again. JSON. */
      readonly settings: unknown;
      readonly origin?: RunOrigin;
    }
  /** Another process carries on. */
  | { readonly type: "run:resumed" }
  /** Everybody waits for people; the process has left. */
  | { readonly type: "run:waiting" }
  /** Its process was told to end at once, and did. It can be taken up again. */
  | { readonly type: "run:stopped"; readonly by: StoppedBy }
  | { readonly type: "run:sources"; readonly sources: readonly RecordedSource[] }
  | {
      readonly type: "run:ended";
      readonly status: RunEnding;
      /** The brief, or whatever the run gave. JSON; undefined where it gave nothing. */
      readonly answer?: unknown;
      /** Why it failed, in words. */
      readonly error?: string;
    }
);

/** One entry of a run's record. */
export type StoredEntry = JournalEntry | RunEntry;

const OURS = ["run:started", "run:resumed", "run:waiting", "run:stopped", "run:sources", "run:ended"];

/** Whether an entry is the run's own, and not of its pools. */
export const isRunEntry = (entry: StoredEntry): entry is RunEntry => OURS.includes(entry.type);

/** Whether an entry is for resuming alone, and not for anybody's eyes: it may hold what models must not see. */
export const isPrivate = (entry: StoredEntry): boolean => entry.type.startsWith("record:");
