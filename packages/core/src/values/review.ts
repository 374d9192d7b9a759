import type { Operation } from "effection";
import type { Agent } from "./agent.ts";
import type { CallInfo } from "./call.ts";
import type { ToolLifecycleHooks } from "./hooks.ts";
import type { JsonSchema } from "./json.ts";
import type { Model, Prompt, ToolSchema, Turn } from "./model.ts";
import type { Usage } from "./usage.ts";

/** How hard a turn is tried at, from least to most. */
export const EFFORTS = ["min", "low", "medium", "high", "max"] as const;
export type Effort = (typeof EFFORTS)[number];

/** How much a rule matters. */
export const WEIGHTS = ["low", "medium", "high"] as const;
export type Weight = (typeof WEIGHTS)[number];

/** What is reviewed: a step's calls before any runs (`true`), the report before it is returned (`messages`), or both. */
export type ReviewScope = boolean | "messages" | "all";

export const asksForSteps = (scope: ReviewScope | undefined): boolean => scope === true || scope === "all";
export const asksForReports = (scope: ReviewScope | undefined): boolean =>
  scope === "messages" || scope === "all";

/** Both of two scopes: nothing takes back what the other asks for. */
export function widest(a: ReviewScope, b: ReviewScope): ReviewScope {
  const steps = asksForSteps(a) || asksForSteps(b);
  const reports = asksForReports(a) || asksForReports(b);
  return steps && reports ? "all" : reports ? "messages" : steps;
}

/** Which tools of an MCP server are consequential: those that declare themselves destructive, all, or none. */
export type ServedConsequences = "destructive" | "all" | "none";

/** The mark that a served tool gets; undefined: what it declares itself. */
export const consequentialBy = (setting: ServedConsequences = "destructive"): boolean | undefined =>
  setting === "destructive" ? undefined : setting === "all";

/** Something agents keep to. Its content enters the instructions of the turns that it applies to. */
export interface Rule {
  /** How it is named on record. */
  readonly title: string;
  /** A policy says what to do; an observation only names a situation. */
  readonly content: string;
  /** Default `policy`. */
  readonly kind?: "policy" | "observation";
  /**
   * When it applies, in words. A rule that has it, asks for a review, raises the effort or is an observation is held
   * against the conversation before each turn; any other applies to every turn.
   */
  readonly when?: string;
  /** Names or patterns of the tools it is about: where an agent has none of them it does not apply. */
  readonly tools?: readonly string[];
  /** Default `medium`. Reviews under rules of high weight are more thorough. */
  readonly weight?: Weight;
  /** The least effort of turns that it applies to. */
  readonly effort?: Effort;
  /** What is reviewed on turns that it applies to. Default nothing. */
  readonly review?: ReviewScope;
}

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

export interface Consultation {
  /** What for, in a word: the model runs as the agent `KEY/as`. */
  readonly as: string;
  readonly model: Model;
  readonly system: string;
  /** Milliseconds that its generations may take together, waits not counted. */
  readonly timeoutMs: number;
}

/** One question: the answer's text must be JSON of the schema. */
export type Ask = (text: string, output: JsonSchema) => Operation<Turn>;

/** Why nobody answered: the time was up, the run's budget is used, the run winds down, or the model failed. */
export type ConsultProblem = "timed_out" | "budget" | "withdrawn" | "model";

/** A model that was consulted gave no answer. */
export class ConsultError extends Error {
  override readonly name = "ConsultError";
  readonly problem: ConsultProblem;
  constructor(problem: ConsultProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}

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
