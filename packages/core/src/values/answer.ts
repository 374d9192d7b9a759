/** Anything a hook may return: a value, a promise of it, or an operation. */
import type { Operation } from "effection";

export type Answerable<T> = T | PromiseLike<T> | Operation<T>;

/** No opinion: the next contributor is asked. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook without a return statement abstains
export type Abstain = undefined | null | void | { readonly type: "proceed" };

export interface Refuse {
  readonly type: "refuse";
  readonly message: string;
}
export interface Cancel {
  readonly type: "cancel";
  readonly message: string;
}
export interface Substitute {
  readonly type: "substitute";
  readonly result: unknown;
}
export interface RequireApproval {
  readonly type: "requireApproval";
  readonly reason: string;
}

/** What a guard's `decide` may answer. */
export type Decision = Refuse | Cancel | Substitute | RequireApproval | Abstain;

/** Don't run it; the model reads `message` as an error and corrects itself. */
export const refuse = (message: string): Refuse => ({ type: "refuse", message });

/** Don't run it; the model reads `message` as a normal result and moves on. */
export const cancel = (message: string): Cancel => ({ type: "cancel", message });

/** Don't run it; the model reads `result`, a JSON value, as if the tool had returned it. */
export const substitute = (result: unknown): Substitute => ({ type: "substitute", result });

/**
 * Ask a person first. Guards after this one are still asked: a refusal or a cancellation among them wins, and then
 * nobody is asked. The reason is shown to the person and is on record: keep it free of secrets.
 */
export const requireApproval = (reason: string): RequireApproval => ({ type: "requireApproval", reason });
