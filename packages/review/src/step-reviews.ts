import type { ProposeAnswer, ProposeInput, ReviewDesk, ReviewSubject, ReviewsAsked } from "@agentpool/core";
import type { Operation } from "effection";
import { excerptOf } from "./conversation.ts";
import { modelFor } from "./models.ts";
import type { Options } from "./options.ts";
import { describeStep } from "./prompts/describe.ts";
import { STEP_SYSTEM, told } from "./prompts/words.ts";
import { keyOf } from "./recorded.ts";
import { type Case, type Ruling, review } from "./review.ts";
import { whatAsksForStep } from "./triggers.ts";
import type { ReviewedTurn, Turns } from "./turns.ts";

/** Reviews of steps, before any of their calls runs. */
export class StepReviews {
  readonly #desk: ReviewDesk;
  readonly #options: Options;
  readonly #asked: ReviewsAsked;
  readonly #turns: Turns;

  constructor(desk: ReviewDesk, options: Options, asked: ReviewsAsked, turns: Turns) {
    this.#desk = desk;
    this.#options = options;
    this.#asked = asked;
    this.#turns = turns;
  }

  *judge(input: ProposeInput): Operation<ProposeAnswer | undefined> {
    const { agent, turn, attempt, calls } = input;
    const current = yield* this.#turns.of(agent, turn);
    const asked = whatAsksForStep(this.#asked, current.applying, calls);
    if (asked.length === 0) return undefined;
    const subject: ReviewSubject = { subject: "step", turn, attempt, asked, calls, report: undefined };
    if (current.effort === "min") {
      yield* this.#desk.record(agent, { type: "review:skipped", ...subject, reason: "effort" });
      return undefined;
    }
    const key = keyOf(subject);
    const ruling = yield* review(this.#desk, this.#case(input, subject, current, key));
    if (ruling.type === "restart" || ruling.type === "exhausted")
      current.breaches.set(key, { type: "breach", reasoning: ruling.reasoning });
    return answerTo(ruling, subject, input.restarts);
  }

  #case(
    { agent, reasoning, text, calls, restarts }: ProposeInput,
    subject: ReviewSubject,
    { applying, effort, breaches }: ReviewedTurn,
    key: string,
  ): Case {
    const desk = this.#desk;
    const options = this.#options;
    return {
      agent,
      subject,
      applying,
      effort,
      restarts,
      limit: options.restarts[effort],
      remembered: breaches.get(key),
      as: "review",
      system: STEP_SYSTEM,
      timeoutMs: options.timeoutMs,
      modelAt: (depth) => modelFor(options.models, "review.tools", { effort, depth }),
      describe: (model, depth) =>
        describeStep(
          {
            task: agent.task,
            instructions: desk.instructions(agent),
            applying,
            conversation: excerptOf(desk.conversation(agent, "step"), options.tokensFor(model)),
            reasoning,
            text,
            calls,
            tools: desk.tools(agent),
          },
          depth,
        ),
    };
  }
}

function answerTo(ruling: Ruling, { asked }: ReviewSubject, restarts: number): ProposeAnswer {
  switch (ruling.type) {
    case "passed": {
      const { todo, model } = ruling;
      return { type: "proceed", ...(todo === undefined ? {} : { todo }), review: { asked, model, todo } };
    }
    case "restart":
      return { type: "restart", reasoning: ruling.reasoning };
    case "exhausted":
      return { type: "refuse", message: told.exhausted(restarts, ruling.reasoning) };
    case "failed":
      return { type: "refuse", message: told.failed(ruling.failure.problem) };
  }
}
