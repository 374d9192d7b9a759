import type { Agent } from "./agent.ts";
import type { CallInfo } from "./call.ts";
import type { ConsultProblem } from "./consultation.ts";
import type { Effort } from "./rule.ts";
import type { Usage } from "./usage.ts";

/** What asked for a review. */
export type ReviewTrigger =
  | { readonly by: "agent" }
  | { readonly by: "rule"; readonly title: string }
  | { readonly by: "tool"; readonly tool: string; readonly call: string };

/** Why a review ended without a verdict that can be followed. */
export type ReviewProblem =
  /** The step broke the rules, and no restart was left. */
  | "exhausted"
  /** What the reviewer answered is no verdict, twice. */
  | "malformed"
  | ConsultProblem;

export interface ReviewFailure {
  readonly problem: ReviewProblem;
  readonly message: string;
}

/** What a review is about, on each of its events. */
export interface ReviewSubject {
  /** A step's calls, or the report that ends the agent. */
  readonly subject: "step" | "report";
  readonly turn: number;
  /** Restarts of the turn before it. */
  readonly attempt: number;
  readonly asked: readonly ReviewTrigger[];
  /** The calls that would run; of a report, the terminal call. */
  readonly calls: readonly CallInfo[];
  /** The report; undefined for a step. */
  readonly report: unknown;
}

/** How a review was given, and what it took. */
export interface ReviewCost {
  readonly model: string;
  readonly effort: Effort;
  /** The verdict on the very same calls in this turn stands: nobody was asked again. */
  readonly remembered: boolean;
  readonly usage: Usage;
  /** US dollars; undefined where the model's price is not known. */
  readonly cost: number | undefined;
  readonly ms: number;
}

/** What happens around reviews, as events. */
export type ReviewHappening =
  | ({ readonly type: "review:started"; readonly model: string; readonly effort: Effort } & ReviewSubject)
  | ({ readonly type: "review:passed"; readonly todo: string | undefined } & ReviewSubject & ReviewCost)
  | ({
      readonly type: "review:restarted";
      readonly adjustedReasoning: string;
      /** Restarts of the agent's task with this one, and how many it may have. */
      readonly restarts: number;
      readonly limit: number;
    } & ReviewSubject &
      ReviewCost)
  | ({
      readonly type: "review:failed";
      readonly problem: ReviewProblem;
      readonly message: string;
      /** Where the verdict was a breach and no restart was left. */
      readonly adjustedReasoning: string | undefined;
    } & ReviewSubject &
      ReviewCost)
  /** It was asked for, and none was given: the effort is `min`, or nothing can be sent back any more. */
  | ({ readonly type: "review:skipped"; readonly reason: "effort" | "final" } & ReviewSubject)
  /** Which rules apply to a turn, of those that had to be held against the conversation. */
  | {
      readonly type: "review:matched";
      readonly turn: number;
      readonly checked: readonly string[];
      readonly matched: readonly string[];
      /** Nobody could say: all of them are taken to apply. */
      readonly failure: ReviewFailure | undefined;
      readonly model: string;
      readonly usage: Usage;
      readonly cost: number | undefined;
      readonly ms: number;
    };

/** A review that was given, and which rules were found to apply, as they are on record. */
export type RecordedReview = Extract<
  ReviewHappening,
  { type: "review:passed" | "review:restarted" | "review:failed" | "review:matched" }
>;

/** A review that passed, as a person who is to approve one of its calls is shown it. */
export interface ReviewNote {
  readonly asked: readonly ReviewTrigger[];
  readonly model: string;
  readonly todo: string | undefined;
}

/** What those who observe reviews are given before the verdict. */
export interface ReviewingInput extends ReviewSubject {
  readonly agent: Agent;
  readonly run: string;
}

/** And after it. */
export interface ReviewedInput extends ReviewingInput {
  readonly passed: boolean;
  readonly todo: string | undefined;
  readonly adjustedReasoning: string | undefined;
  /** Why there is no verdict that can be followed. */
  readonly error: ReviewFailure | undefined;
}
