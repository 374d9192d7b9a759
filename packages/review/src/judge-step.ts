import type { ProposeAnswer, ProposeInput, ReviewSubject } from "@agentpool/core";
import type { Operation } from "effection";
import { excerptOf } from "./conversation.ts";
import { type Bench, judge } from "./judge.ts";
import { describeStep } from "./prompts/describe.ts";
import { STEP_SYSTEM, told } from "./prompts/words.ts";
import type { Ruling } from "./review.ts";
import { whatAsksForStep } from "./triggers.ts";

/** Reviews a step, before any of its calls runs. */
export function* judgeStep(bench: Bench, input: ProposeInput): Operation<ProposeAnswer | undefined> {
  const { desk, options } = bench;
  const { agent, turn, attempt, reasoning, text, calls, restarts } = input;
  const current = yield* bench.turns.of(agent, turn);
  const { applying } = current;
  const asked = whatAsksForStep(bench.asked, applying, calls);
  const subject: ReviewSubject = { subject: "step", turn, attempt, asked, calls, report: undefined };
  const ruling = yield* judge(
    bench,
    { agent, current, subject, restarts },
    {
      route: "review.tools",
      as: "review",
      system: STEP_SYSTEM,
      limits: options.restarts,
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
    },
  );
  return ruling && answerTo(ruling, subject, restarts);
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
