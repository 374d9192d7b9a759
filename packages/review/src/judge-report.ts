import type { ReturnAnswer, ReturnInput, ReviewSubject } from "@agentpool/core";
import type { Operation } from "effection";
import { excerptOf } from "./conversation.ts";
import { type Bench, judge } from "./judge.ts";
import { describeReport } from "./prompts/describe.ts";
import { REPORT_SYSTEM, told } from "./prompts/words.ts";
import type { Ruling } from "./review.ts";
import { whatAsksForReport } from "./triggers.ts";

/** Reviews a report, before it is returned. */
export function* judgeReport(bench: Bench, input: ReturnInput): Operation<ReturnAnswer | undefined> {
  const { desk, options } = bench;
  const { agent, turn, attempt, call, result: report, restarts, final: isFinal } = input;
  const current = yield* bench.turns.of(agent, turn);
  const { applying } = current;
  const asked = whatAsksForReport(bench.asked, applying);
  const subject: ReviewSubject = {
    subject: "report",
    turn,
    attempt,
    asked,
    calls: call ? [call] : [],
    report,
  };
  const ruling = yield* judge(
    bench,
    { agent, current, subject, restarts, isFinal },
    {
      route: "review.messages",
      as: "messages",
      system: REPORT_SYSTEM,
      limits: options.reportRestarts,
      describe: (model, depth) =>
        describeReport(
          {
            task: agent.task,
            instructions: desk.instructions(agent),
            applying,
            conversation: excerptOf(desk.conversation(agent, "now"), options.tokensFor(model)),
            report,
          },
          depth,
        ),
    },
  );
  return ruling && answerTo(ruling, restarts);
}

function answerTo(ruling: Ruling, restarts: number): ReturnAnswer | undefined {
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
