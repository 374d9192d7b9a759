import type { Args } from "./json.ts";
import type { ReviewNote } from "./review.ts";

/** A call that waits for a person. It is bound to what it shows: nothing else can run by its leave. */
export interface Approval {
  readonly id: string;
  readonly agent: string;
  readonly call: string;
  /** The name the model used, or of what the call was rewritten to; and the canonical one. */
  readonly tool: string;
  readonly identity: string;
  readonly args: Args;
  /** SHA-256 of identity and arguments, in hexadecimal; on record, of the arguments as they are there. */
  readonly digest: string;
  /** Why a person is asked. */
  readonly reason: string;
  /** Reviews that its step has passed; absent where nobody reviewed it. */
  readonly reviews?: readonly ReviewNote[];
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
