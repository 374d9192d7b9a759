import type { Agent, Exit } from "./agent.ts";
import type { Abstain, Answerable } from "./answer.ts";
import type { CallInfo } from "./call.ts";
import type { ToolGuard } from "./guard.ts";

/**
 * Opinions at the moments of a tool call. Declare it on a tool (`hooks`) or give it to a pool (`hooks`).
 *
 * At every moment the framework's authorisation is first, then the called tool's own hooks, then the harness's
 * hooks in order (the outermost pool's first), then the framework's default. The first concrete answer wins;
 * `undefined`, `null` and `{ type: "proceed" }` abstain. At `onReturn` any contributor may reject.
 */
export interface ToolLifecycleHooks {
  /** On record where one of its hooks fails. Default `hook`. */
  readonly name?: string;
  /** May it run? Guards in order. */
  readonly beforeDispatch?: readonly ToolGuard[];
  /** Was that an attempt? Nobody answers: a {@link ToolRetryError} is retried, anything else is an attempt. */
  afterExecute?(input: ExecutedInput): Answerable<ExecutedAnswer | Abstain>;
  /** The result does not fit the context. Nobody answers: it is dropped and the agent reports. */
  beforeAdmit?(input: AdmitInput): Answerable<AdmitAnswer | Abstain>;
  /** The result was read: anything to say next? Nobody answers: nothing. */
  afterAdmit?(input: AdmittedInput): Answerable<AdmittedAnswer | Abstain>;
  /** Observes what a tool returned. */
  onResult?(input: ResultInput): Answerable<void>;
  /** May the agent stop with this? Nobody answers: it may. */
  onReturn?(input: ReturnInput): Answerable<ReturnAnswer | Abstain>;
  /** What a throw or a missed deadline does. Default: as the moment says. */
  readonly onError?: "refuse" | "proceed";
  /** Milliseconds each of its functions may take. Default 30,000. */
  readonly timeoutMs?: number;
}

export interface HookInput {
  readonly agent: Agent;
  readonly call: CallInfo;
  readonly run: string;
}

export type Execution =
  | { readonly type: "returned"; readonly value: unknown }
  | { readonly type: "threw"; readonly error: unknown };

export interface ExecutedInput extends HookInput {
  readonly execution: Execution;
  /** What it returned; undefined where it threw. */
  readonly result: unknown;
  /** What it threw; undefined where it returned. */
  readonly error: unknown;
  readonly attempt: number;
}
export type ExecutedAnswer =
  | { readonly type: "attempt" }
  | { readonly type: "retry"; readonly afterMs: number }
  | { readonly type: "fail"; readonly message?: string };

export interface AdmitInput extends HookInput {
  readonly result: unknown;
  /** Estimated tokens of the result, and how many are left. */
  readonly tokens: number;
  readonly room: number;
}
export type AdmitAnswer = { readonly type: "nudge"; readonly message: string } | { readonly type: "drop" };

export interface AdmittedInput extends HookInput {
  readonly result: unknown;
}
export type AdmittedAnswer =
  | { readonly type: "followUp"; readonly message: string }
  | { readonly type: "none" };

export interface ResultInput extends HookInput {
  readonly result: unknown;
}

export interface ReturnInput {
  readonly agent: Agent;
  readonly run: string;
  /** What the agent wants to end with. */
  readonly result: unknown;
  readonly exit: Extract<Exit, "returned" | "text">;
  /** The terminal call; undefined for an agent that ends with plain text. */
  readonly call: CallInfo | undefined;
}
export type ReturnAnswer =
  | { readonly type: "accept"; readonly result?: unknown }
  | { readonly type: "reject"; readonly message: string };
