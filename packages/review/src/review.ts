import {
  type Agent,
  type Effort,
  type Model,
  noUsage,
  type ReviewCost,
  type ReviewDesk,
  type ReviewFailure,
  type ReviewSubject,
  type Rule,
  useClock,
} from "@agentpool/core";
import type { Operation } from "effection";
import { consultTwice } from "./consult-twice.ts";
import { type Depth, depthOf } from "./effort.ts";
import { isReviewOf, rulingOn } from "./recorded.ts";
import { readVerdict, type Verdict, verdictForm } from "./verdict.ts";

/** What is put before a reviewer. */
export interface Case {
  readonly agent: Agent;
  readonly subject: ReviewSubject;
  readonly applying: readonly Rule[];
  readonly effort: Effort;
  /** What was sent back so far, and how often that may be. */
  readonly restarts: number;
  readonly limit: number;
  /** The verdict on the same in this turn, where it was a breach: it stands. */
  readonly remembered: Verdict | undefined;
  readonly as: string;
  readonly system: string;
  readonly timeoutMs: number;
  modelAt(depth: Depth): Model | undefined;
  describe(model: Model, depth: Depth): string;
}

/** What a review came to. */
export type Ruling =
  | { readonly type: "passed"; readonly todo: string | undefined; readonly model: string }
  | { readonly type: "restart"; readonly reasoning: string }
  /** It was a breach, and nothing may be sent back any more. */
  | { readonly type: "exhausted"; readonly reasoning: string }
  | { readonly type: "failed"; readonly failure: ReviewFailure };

/** One review, from its beginning to its verdict, on record. One that is on record already stands. */
export function* review(desk: ReviewDesk, put: Case): Operation<Ruling> {
  const { agent, subject, effort, remembered } = put;
  const known = desk.recall(agent, subject.turn, subject.attempt, isReviewOf(subject));
  if (known) return rulingOn(known);
  const depth = depthOf(effort, put.applying);
  const model = put.modelAt(depth);
  const name = model?.id ?? "none";
  yield* desk.record(agent, { type: "review:started", ...subject, model: name, effort });
  const clock = yield* useClock();
  const since = clock.now();
  const { answer, usage } = remembered
    ? { answer: { type: "read", value: remembered } as const, usage: noUsage }
    : model
      ? yield* consultTwice(desk, agent, {
          as: put.as,
          model,
          system: put.system,
          timeoutMs: put.timeoutMs,
          text: put.describe(model, depth),
          form: verdictForm,
          read: readVerdict,
        })
      : { answer: NO_MODEL, usage: noUsage };
  const took: ReviewCost = {
    model: name,
    effort,
    remembered: remembered !== undefined,
    usage,
    cost: model && desk.costOf(model, usage),
    ms: clock.now() - since,
  };
  if (answer.type === "failed") {
    const { failure } = answer;
    yield* desk.record(agent, {
      type: "review:failed",
      ...subject,
      ...took,
      ...failure,
      adjustedReasoning: undefined,
    });
    return { type: "failed", failure };
  }
  return yield* rule(desk, put, answer.value, took);
}

const NO_MODEL = {
  type: "failed",
  failure: { problem: "model", message: "there is no model for its route at this effort" },
} as const;

/** What a verdict leads to. */
function* rule(desk: ReviewDesk, put: Case, verdict: Verdict, took: ReviewCost): Operation<Ruling> {
  const { agent, subject, restarts, limit } = put;
  if (verdict.type === "passed") {
    const { todo } = verdict;
    yield* desk.record(agent, { type: "review:passed", ...subject, ...took, todo });
    return { type: "passed", todo, model: took.model };
  }
  const { reasoning } = verdict;
  if (restarts >= limit) {
    const message = `it breaks what the agent has to keep to, and was sent back ${restarts} times already`;
    yield* desk.record(agent, {
      type: "review:failed",
      ...subject,
      ...took,
      problem: "exhausted",
      message,
      adjustedReasoning: reasoning,
    });
    return { type: "exhausted", reasoning };
  }
  yield* desk.record(agent, {
    type: "review:restarted",
    ...subject,
    ...took,
    adjustedReasoning: reasoning,
    restarts: restarts + 1,
    limit,
  });
  return { type: "restart", reasoning };
}
