import type { Operation } from "effection";
import type { Agent } from "./agent.ts";
import type { Ask, Consultation } from "./consultation.ts";
import type { ToolLifecycleHooks } from "./hooks.ts";
import type { Model, Prompt, ToolSchema } from "./model.ts";
import type { RecordedReview, ReviewHappening } from "./review.ts";
import type { Effort, ReviewScope, Rule } from "./rule.ts";
import type { Usage } from "./usage.ts";

/** What is reviewed whatever rules say. */
export interface ReviewOptions {
  /** Every step, every report, or both. Default `false`. */
  readonly agent?: ReviewScope;
  /** Names, prefixes or identities of tools that are consequential here: every step that calls one is reviewed. */
  readonly tools?: readonly string[];
}

/** Everything in a pool and around it that asks one reviewer for reviews. */
export interface ReviewsAsked {
  readonly agent: ReviewScope;
  /** Patterns and identities that select the consequential tools: see `selects`. */
  readonly tools: readonly string[];
  readonly rules: readonly Rule[];
  readonly effort: Effort;
  /** Whether dollars are counted, so that the price of every model has to be known. */
  readonly priced: boolean;
}

/** What a model is asked for when it reviews. */
export const REVIEW_ROUTES = ["review.tools", "review.rules", "review.messages"] as const;
export type ReviewRoute = (typeof REVIEW_ROUTES)[number];

/** Who gives the reviews that are asked for: `reviewer()` of `@agentpool/review` makes one. */
export interface Reviewer {
  /**
   * The hooks that judge for a pool. They are asked last, and only about what would go forward without them.
   *
   * @throws ConfigurationError where something is asked for and there is no model to give it, naming the route.
   */
  hooksFor(asked: ReviewsAsked, desk: ReviewDesk): ToolLifecycleHooks;
}

/** What a pool lends to the one who reviews for it. */
export interface ReviewDesk {
  /** What the agent was told and said, without the spine's system text: before the open step, or to the last word. */
  conversation(agent: Agent, upTo: "step" | "now"): Prompt;
  /** What its turns are held to beside rules: the system texts of its pool and task. */
  instructions(agent: Agent): readonly string[];
  /** The tools that it has, as its model sees them, with their canonical names. */
  tools(agent: Agent): readonly (ToolSchema & { readonly identity: string })[];
  /**
   * A conversation with another model on an agent's behalf, for as long as `body` runs. What it uses counts in the
   * agent's usage and in the run's budgets, not as a turn. The model sees no redacted value. Rate limits park the agent.
   *
   * @throws ConsultError where no answer came.
   */
  consult<T>(agent: Agent, how: Consultation, body: (ask: Ask) => Operation<T>): Operation<T>;
  /** What tokens cost with a model, in US dollars; undefined where its price is not known. */
  costOf(model: Model, usage: Usage): number | undefined;
  /** Puts a review on record, and shows it to those who observe reviews. */
  record(agent: Agent, happening: ReviewHappening): Operation<void>;
  /** What is on record about an agent's turn, its attempts in order: a run that is taken up asks nobody twice. */
  recorded(agent: Agent, turn: number): readonly RecordedReview[];
  /** Takes up the next review of that kind that is on record of an attempt: it was given, and is not given again. */
  recall<T extends RecordedReview>(
    agent: Agent,
    turn: number,
    attempt: number,
    is: (review: RecordedReview) => review is T,
  ): T | undefined;
}
