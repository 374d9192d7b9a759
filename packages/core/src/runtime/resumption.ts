import type { Call } from "./call-state.ts";
import { lostSecret } from "./lost-secret.ts";

/** Where the execution of a call begins. */
export type Resumption =
  | { readonly type: "first"; readonly attempt: 0; readonly until: undefined }
  /** It was dispatched before: it goes on with this attempt, once the time has come. */
  | { readonly type: "again"; readonly attempt: number; readonly until: number | undefined }
  /** Nobody knows whether it ran: it does not run again. */
  | { readonly type: "unknown" }
  /** It would run again, and a secret among its arguments is not on record. */
  | { readonly type: "incomplete" };

export type Begun = Extract<Resumption, { attempt: number }>;

export const FIRST: Begun = { type: "first", attempt: 0, until: undefined };

/**
 * What is to be done about a call that was dispatched and is on record without an outcome. An attempt that was over and
 * waited for the next goes on to wait; a client is asked for its result again; a call that had opened a pool goes on in
 * it. Everything else may have had its effect: only a tool that says so runs again.
 */
export function resumptionOf(call: Call, attempt: number): Resumption {
  const { past, bound } = call;
  const { tool } = bound;
  const again = { type: "again", attempt, until: undefined, ...past?.retry } as const;
  if (past?.nests && !past.retry) return again;
  if (!past?.retry && tool.target !== "client" && !tool.idempotent) return { type: "unknown" };
  return lostSecret(call) ? { type: "incomplete" } : again;
}
