import type { Agent, Exit } from "./agent.ts";
import type { Abstain, Answerable } from "./answer.ts";
import type { CallInfo } from "./call.ts";
import type { ToolGuard } from "./guard.ts";
import type { Args } from "./json.ts";
import type { ReviewedInput, ReviewingInput, ReviewNote } from "./review.ts";
import type { ToolMeta, ToolSource } from "./tool.ts";

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
  /** Which tools does this turn see? Nobody answers: all the agent has. Asked of the harness's hooks. */
  onRoute?(input: RouteInput): Answerable<RouteAnswer | Abstain>;
  /** What has the agent to read before this turn? Everybody is asked, and all of it is appended. */
  beforeTurn?(input: TurnInput): Answerable<TurnAnswer | Abstain>;
  /** What is the call? Nobody answers: what the model emitted. One that throws refuses the call. */
  rewrite?(input: RewriteInput): Answerable<RewriteAnswer | Abstain>;
  /** May it run? Guards in order. */
  readonly beforeDispatch?: readonly ToolGuard[];
  /**
   * May the calls that would run go forward, as a set? Everybody is asked, the harness's hooks first, a reviewer
   * last and only if they would go forward without it: a refusal wins over a restart, the first restart wins, todos
   * add up. One that throws refuses the calls. The calls of a step that was judged run one after another.
   */
  onPropose?(input: ProposeInput): Answerable<ProposeAnswer | Abstain>;
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
  /** Observes a review before its verdict, and after it. What it answers, throws or takes too long for is not heard. */
  onReviewing?(input: ReviewingInput): Answerable<void>;
  onReviewed?(input: ReviewedInput): Answerable<void>;
  /** Steps of an agent's task that `onPropose` may send back, and returns that `onReturn` may. Default 10 of each. */
  readonly restarts?: number;
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

export interface RouteInput {
  readonly agent: Agent;
  readonly run: string;
  /** The turn about to begin, from 1. */
  readonly turn: number;
  readonly tools: readonly string[];
}
/** The terminal tool is always among them: an agent can always report. */
export interface RouteAnswer {
  readonly type: "tools";
  readonly names: readonly string[];
}

export interface TurnInput {
  readonly agent: Agent;
  readonly run: string;
  /** The turn about to begin, from 1. A turn that was sent back is not a new one: nobody is asked again. */
  readonly turn: number;
}
export interface TurnAnswer {
  readonly type: "instruct";
  readonly text: string;
}

export interface RewriteInput extends HookInput {
  readonly source: ToolSource;
  readonly meta: ToolMeta;
}
export interface RewriteAnswer {
  readonly type: "rewrite";
  /** Default: the tool that was called. */
  readonly tool?: string;
  readonly args: Args;
  /** Whether `args` are the new arguments, or are laid over the old ones key by key. */
  readonly mode: "replace" | "merge";
}

export interface ProposeInput {
  readonly agent: Agent;
  readonly run: string;
  readonly turn: number;
  /** Restarts of this turn so far. */
  readonly attempt: number;
  /** Steps of the agent's task that this hook has sent back so far. */
  readonly restarts: number;
  /** What the model reasoned and said before the calls. */
  readonly reasoning: string | undefined;
  readonly text: string | undefined;
  /** The calls that would run, in emitted order. */
  readonly calls: readonly CallInfo[];
}
export type ProposeAnswer =
  /** Go on; `todo` is put into the next turn's instructions, `review` before people who have to approve a call. */
  | { readonly type: "proceed"; readonly todo?: string; readonly review?: ReviewNote }
  /** Discard the step: `reasoning` takes its place, and the model goes on from there. */
  | { readonly type: "restart"; readonly reasoning: string }
  /** None of the calls runs: the model reads the message as an error in place of each. */
  | { readonly type: "refuse"; readonly message: string };

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
  /** The turn that says it, and restarts of that turn so far. */
  readonly turn: number;
  readonly attempt: number;
  /** Returns of the agent that this hook has sent back so far. */
  readonly restarts: number;
  /** Nothing can be sent back any more: a limit is reached, or the run winds down. */
  readonly final: boolean;
}
export type ReturnAnswer =
  | { readonly type: "accept"; readonly result?: unknown }
  /** It goes on, and reads the message in its report's place. */
  | { readonly type: "reject"; readonly message: string }
  /** Discard the turn: `reasoning` takes its place, and the model goes on from there. */
  | { readonly type: "restart"; readonly reasoning: string };
