import type { ReturnAnswer, ReturnInput, ReviewDesk, ReviewSubject, ReviewsAsked } from "@agentpool/core";
import type { Operation } from "effection";
import { excerptOf } from "./conversation.ts";
import { modelFor } from "./models.ts";
import type { Options } from "./options.ts";
import { describeReport } from "./prompts/describe.ts";
import { REPORT_SYSTEM, told } from "./prompts/words.ts";
import { keyOf } from "./recorded.ts";
import { type Case, review } from "./review.ts";
import { whatAsksForReport } from "./triggers.ts";
import type { ReviewedTurn, Turns } from "./turns.ts";

/** Reviews of reports, before they are returned. */
export class ReportReviews {
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

  *judge(input: ReturnInput): Operation<ReturnAnswer | undefined> {
    const { agent, turn, attempt, call, result, restarts, final } = input;
    const current = yield* this.#turns.of(agent, turn);
    const asked = whatAsksForReport(this.#asked, current.applying);
    if (asked.length === 0) return undefined;
    const subject: ReviewSubject = {
      subject: "report",
      turn,
      attempt,
      asked,
      calls: call ? [call] : [],
      report: result,
    };
    if (current.effort === "min" || final) {
      const reason = current.effort === "min" ? "effort" : "final";
      yield* this.#desk.record(agent, { type: "review:skipped", ...subject, reason });
      return undefined;
    }
    const key = keyOf(subject);
    const ruling = yield* review(this.#desk, this.#case(input, subject, current, key));
    if (ruling.type === "restart" || ruling.type === "exhausted")
      current.breaches.set(key, { type: "breach", reasoning: ruling.reasoning });
    switch (ruling.type) {
      case "passed":
        return undefined;
      case "restart":
        return { type: "restart", reasoning: ruling.reasoning };
      case "exhausted":
        return { type: "reject", message: told.reportExhausted(restarts, ruling.reasoning) };
      case "failed":
        return { type: "reject", message: told.reportFailed(ruling.failure.problem) };
    }
  }

  #case(
    { agent, result, restarts }: ReturnInput,
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
      limit: options.reportRestarts[effort],
      remembered: breaches.get(key),
      as: "messages",
      system: REPORT_SYSTEM,
      timeoutMs: options.timeoutMs,
      modelAt: (depth) => modelFor(options.models, "review.messages", { effort, depth }),
      describe: (model, depth) =>
        describeReport(
          {
            task: agent.task,
            instructions: desk.instructions(agent),
            applying,
            conversation: excerptOf(desk.conversation(agent, "now"), options.tokensFor(model)),
            report: result,
          },
          depth,
        ),
    };
  }
}
