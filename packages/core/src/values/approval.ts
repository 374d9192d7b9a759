import type { Args } from "./json.ts";

/** A call that waits for a person. It is bound to what it shows: nothing else can run by its leave. */
export interface Approval {
  readonly id: string;
  readonly agent: string;
  readonly call: string;
  /** The name the model used, and the canonical one. */
  readonly tool: string;
  readonly identity: string;
  readonly args: Args;
  /** SHA-256 of identity and arguments, in hexadecimal. */
  readonly digest: string;
  /** Why a person is asked. */
  readonly reason: string;
}

export type ApprovalDecision =
  | { readonly type: "approved" }
  /** `reason` is read by the model. */
  | { readonly type: "denied"; readonly reason?: string };

/** The calls of a run that wait for people. Each is decided once; the first decision stands. */
export interface Approvals {
  /** Those not decided yet, oldest first. */
  list(): readonly Approval[];
  /** Throws {@link AnswerError} where there is no such approval, or it is decided. */
  approve(id: string): void;
  deny(id: string, reason?: string): void;
}
