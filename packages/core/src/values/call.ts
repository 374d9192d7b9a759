import type { Args } from "./json.ts";

/** A call as hooks, guards and events name it. */
export interface CallInfo {
  /** Stable across retries and resumes: use it as an idempotency key. For example `research/2:3#0`. */
  readonly id: string;
  /** The name the model used; of a call that was rewritten, the name of what it became. */
  readonly tool: string;
  /** The canonical name: `local:fetch_page`, `mcp:server/tool`, `skill:name`. */
  readonly identity: string;
  readonly args: Args;
  /** The agent's turn that proposed it, from 1. */
  readonly turn: number;
}

/** What became of a call. Only `ok` is ever attended. */
export type Outcome =
  /** It executed and returned. */
  | { readonly type: "ok"; readonly value: unknown }
  /** It executed and failed; or the arguments could not be read. */
  | { readonly type: "error"; readonly message: string }
  /** A guard or the framework refused it: the model reads the message as an error. */
  | { readonly type: "refused"; readonly guard: string; readonly message: string }
  /** A guard called it off: the model reads the message as a normal result. */
  | { readonly type: "cancelled"; readonly guard: string; readonly message: string }
  /** A guard answered in its place. */
  | { readonly type: "substituted"; readonly guard: string; readonly value: unknown }
  /** It will not run: the run is winding down; or its agent was about to end, and is to read a message first. */
  | { readonly type: "withdrawn"; readonly message: string };
