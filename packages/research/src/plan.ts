import { type AgentResult, parallel, type Totals } from "@agentpool/core";
import type { Operation } from "effection";
import { gatesOf, type Stage, type StageOptions, stageOf } from "./options.ts";
import { PLAN } from "./prompts.ts";
import { submitPlan } from "./tools/submit-plan.ts";
import { noTotals } from "./totals.ts";

/** The sub-questions of a job. */
export interface Planned {
  /** In the order to answer them; never empty. */
  readonly questions: readonly string[];
  /** Why the question was not split, where planning failed. */
  readonly notices: readonly string[];
  readonly totals: Totals;
}

/**
 * Splits a question into the sub-questions that together answer it, by one agent that may look at what there is. If
 * planning fails the question itself is asked.
 *
 * ```ts
 * const { questions } = yield* plan("Who wrote Emma, and when was it published?", { model, tools });
 * ```
 */
export function* plan(question: string, options: StageOptions | Stage): Operation<Planned> {
  const stage = stageOf(options);
  if (stage.winding.requested) return { questions: [question], notices: [], totals: noTotals };
  const { agents, totals } = yield* stage.winding.run({
    ...gatesOf(stage),
    ...stage.pool,
    model: stage.modelOf("plan"),
    system: PLAN,
    key: "plan",
    terminal: submitPlan(stage.numbers.questions),
    orchestrate: parallel([{ task: question, ...lookingOnly(stage) }]),
    budget: { ...stage.budget, maxTurns: stage.numbers.planTurns },
  });
  const questions = questionsIn(agents[0]?.report);
  if (questions.length > 0) return { questions, notices: [], totals };
  return { questions: [question], notices: [failure(agents[0])], totals };
}

/** A planner looks at outlines and snippets; reading is for those who research. */
function lookingOnly({ tools }: Stage): { readonly tools?: readonly string[] } {
  const looking = tools.filter(({ name }) => name === "list" || name === "search").map(({ name }) => name);
  return looking.length > 0 ? { tools: looking } : {};
}

function questionsIn(report: AgentResult["report"]): string[] {
  const given = Array.isArray(report?.questions) ? report.questions : [];
  const texts = given.filter((text): text is string => typeof text === "string" && text.trim() !== "");
  return [...new Set(texts.map((text) => text.trim()))];
}

const failure = (agent: AgentResult | undefined): string =>
  `No plan was made (${agent?.reason ?? agent?.exit ?? "no agent"}): the question was researched as one.`;
