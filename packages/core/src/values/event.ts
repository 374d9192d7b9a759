import type { AgentResult, AgentState, Exit, PoolResult } from "./agent.ts";
import type { Approval, ApprovalDecision } from "./approval.ts";
import type { Outcome } from "./call.ts";
import type { Args } from "./json.ts";
import type { Delta, LimitReason, Turn } from "./model.ts";
import type { ReviewHappening } from "./review.ts";
import type { Usage } from "./usage.ts";

/** Why an agent or one of its calls waits. */
export type ParkReason = "retry" | "equal_call" | LimitReason | "approval" | "client" | "room";

/**
 * One thing that happened in a run. `at` is in whole milliseconds since the epoch; `agent` and `call` are keys. `past`: it
 * happened in an earlier process; who watches a resumed run is shown what went before first.
 */
export type PoolEvent = { readonly run: string; readonly at: number; readonly past?: true } & Happening;

/** A {@link PoolEvent} before it is stamped with run and time. */
export type Happening =
  | {
      readonly type: "pool:opened";
      readonly pool: string;
      /** The pool around it, and the call that opened it; absent where there is none. */
      readonly within?: string;
      readonly call?: string;
      readonly model: string;
      readonly tools: readonly string[];
    }
  /**
   * Every agent of the run waits for people or clients, and nothing else is going on: ids of approvals, and of client
   * calls. A recorded run can be left here, and taken up later.
   */
  | {
      readonly type: "pool:waiting";
      readonly pool: string;
      readonly approvals: readonly string[];
      readonly calls: readonly string[];
    }
  | { readonly type: "pool:closed"; readonly pool: string; readonly result: PoolResult | undefined }
  | AgentHappening
  | CallHappening
  | ({ readonly agent: string } & ReviewHappening)
  | {
      readonly type: "hook:error";
      readonly agent: string;
      readonly call?: string;
      readonly hook: string;
      readonly moment: string;
      readonly error: string;
      readonly verdict: "refused" | "skipped";
      readonly ms: number;
    }
  | {
      readonly type: "hook:warning";
      readonly agent: string;
      readonly call?: string;
      readonly hook: string;
      readonly message: string;
      /** What it is about: the substitute that was not used. */
      readonly value?: unknown;
    }
  | {
      readonly type: "budget:exhausted";
      readonly agent?: string;
      readonly budget: string;
      readonly limit: number;
    }
  | {
      /** A model cannot be asked right now: its agent waits, and it is asked again. */
      readonly type: "model:limited";
      readonly agent: string;
      readonly model: string;
      readonly reason: LimitReason;
      /** What the model, or whoever asks it, says about it. */
      readonly message: string;
      readonly afterMs: number;
      readonly attempt: number;
      /** What an agent's turn used that came to nothing, and US dollars where the price is known; absent: nothing. */
      readonly usage?: Usage;
      readonly cost?: number;
    }
  | {
      readonly type: "budget:threshold";
      readonly budget: string;
      readonly share: number;
      readonly used: number;
      readonly limit: number;
    }
  | {
      readonly type: "model:fallback";
      readonly agent?: string;
      readonly from: string;
      readonly to: string;
      readonly reason: string;
    }
  | {
      readonly type: "approval:requested";
      readonly agent: string;
      readonly call: string;
      readonly approval: Approval;
      /** It was asked for in an earlier process, and waits in this one: for who shows what waits. Not on record again. */
      readonly again?: true;
    }
  | {
      readonly type: "approval:decided";
      readonly agent: string;
      readonly call: string;
      readonly approval: string;
      readonly decision: ApprovalDecision;
    }
  | {
      readonly type: "approval:void";
      readonly agent: string;
      readonly call: string;
      readonly approval: string;
    }
  | {
      readonly type: "spine:extended";
      readonly pool: string;
      readonly user: string;
      readonly assistant: string;
    }
  | { readonly type: "notice"; readonly agent?: string; readonly message: string };

type AgentHappening = { readonly agent: string } & (
  | {
      readonly type: "agent:spawned";
      readonly task: string;
      readonly parent: string | undefined;
      readonly depth: number;
      readonly pool: string;
      /** Its model, where that is not its pool's. */
      readonly model?: string;
    }
  | {
      readonly type: "agent:state";
      readonly state: AgentState;
      readonly reason?: ParkReason;
      readonly until?: number;
    }
  | { readonly type: "agent:returned"; readonly exit: Exit; readonly result: unknown }
  | { readonly type: "agent:ended"; readonly result: AgentResult }
  | { readonly type: "turn:started"; readonly turn: number; readonly forced: boolean }
  | { readonly type: "turn:delta"; readonly turn: number; readonly delta: Delta }
  | {
      readonly type: "turn:restarted";
      readonly turn: number;
      readonly attempt: number;
      readonly reasoning: string;
      /** The hook that sent it back, and at which moment. */
      readonly by: string;
      readonly moment: "onPropose" | "onReturn";
    }
  | { readonly type: "agent:steered"; readonly message: string }
  | {
      /** A turn came to nothing, and is not asked for again. */
      readonly type: "turn:failed";
      readonly turn: number;
      readonly forced: boolean;
      readonly message: string;
      /** What it used all the same, and US dollars where the price is known; absent: nothing, as far as is known. */
      readonly usage?: Usage;
      readonly cost?: number;
    }
  | {
      readonly type: "turn:completed";
      readonly turn: number;
      readonly result: Turn;
      /** Tokens its conversation now holds. */
      readonly tokens: number;
      /** US dollars; absent where the model's price is not known. */
      readonly cost?: number;
    }
);

type CallHappening = { readonly agent: string; readonly call: string; readonly tool: string } & (
  | {
      readonly type: "call:proposed";
      readonly identity: string | undefined;
      readonly input: string;
      readonly turn: number;
    }
  | {
      readonly type: "call:rewritten";
      readonly mode: "replace" | "merge";
      readonly from: { readonly tool: string; readonly args: Args };
      readonly to: { readonly tool: string; readonly args: Args };
    }
  | { readonly type: "call:discarded" }
  | { readonly type: "call:refused"; readonly guard: string; readonly message: string }
  | { readonly type: "call:cancelled"; readonly guard: string; readonly message: string }
  | { readonly type: "call:withdrawn"; readonly message: string }
  | { readonly type: "call:substituted"; readonly guard: string; readonly value: unknown }
  | {
      readonly type: "call:dispatched";
      readonly identity: string;
      readonly args: Args;
      readonly attempt: number;
    }
  | { readonly type: "call:progress"; readonly message: string }
  | { readonly type: "call:parked"; readonly reason: ParkReason; readonly until?: number }
  | { readonly type: "call:resumed"; readonly reason: ParkReason }
  | {
      readonly type: "call:settled";
      readonly outcome: Outcome;
      readonly ms: number;
    }
  | { readonly type: "call:admitted"; readonly outcome: Outcome["type"]; readonly attended: boolean }
);
