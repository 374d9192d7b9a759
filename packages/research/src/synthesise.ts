import type { AgentResult, Totals } from "@agentpool/core";
import type { Operation } from "effection";
import { assemble, citesAny } from "./brief/assemble.ts";
import type { Brief } from "./brief/brief.ts";
import { type Answer, numbered } from "./brief/findings.ts";
import { material } from "./brief/material.ts";
import { briefLimits } from "./effort.ts";
import { type Stage, type StageOptions, stageOf, toollessGates } from "./options.ts";
import { SYNTHESIS } from "./prompts.ts";
import { readSubmittedBrief, type SubmittedBrief, submitBrief } from "./tools/submit-brief.ts";
import { addTotals, noTotals } from "./totals.ts";

export interface SynthesisInput {
  readonly question: string;
  readonly answers: readonly Answer[];
  /** What earlier stages used, for the brief's totals. */
  readonly totals?: Totals;
  /** What a reader has to know of earlier stages. */
  readonly notices?: readonly string[];
}

/** Share of a model's window that the reports may take; the rest is for instructions and the brief itself. */
const shareOfWindow = 0.5;

/**
 * Makes a brief of verified answers, by one agent. Its input is sized before it is sent. A brief that was cut off, or
 * was not made because the job winds down, is made by code from the answers instead, and is marked partial.
 */
export function* synthesise(input: SynthesisInput, options: StageOptions | Stage): Operation<Brief> {
  const stage = stageOf(options);
  const { question } = input;
  const answers = numbered(input.answers);
  const limits = briefLimits(stage.numbers, answers.length);
  const rest = { question, answers, limits, ledger: stage.ledger };
  const before = input.totals ?? noTotals;
  const notices = [...(input.notices ?? [])];
  if (stage.winding.requested) {
    notices.push("The job was brought to an end early: this brief was made from what had been reported.");
    return assemble({ ...rest, submitted: undefined, totals: before, status: "partial", notices });
  }
  if (answers.every(({ findings }) => findings.length === 0)) {
    return assemble({ ...rest, submitted: undefined, totals: before, status: statusOf(answers), notices });
  }
  const { result, left, totals } = yield* ask(stage, { question, answers, limits });
  if (left > 0)
    notices.push(`${left} findings of low confidence were left out of the synthesis to fit its model.`);
  const given = submittedBy(result);
  const submitted = given && citesAny(given, answers) ? given : undefined;
  if (submitted === undefined) notices.push(given ? citesNothing(given) : failure(result));
  return assemble({
    ...rest,
    submitted,
    totals: addTotals(before, totals),
    status: submitted === undefined ? "partial" : statusOf(answers),
    notices,
  });
}

/** A job some of whose agents were cancelled did not come to its end. */
const statusOf = (answers: readonly Answer[]): Brief["status"] =>
  answers.some(({ trouble }) => trouble !== undefined) ? "partial" : "complete";

interface Asked {
  readonly result: AgentResult | undefined;
  /** Findings that did not fit. */
  readonly left: number;
  readonly totals: Totals;
}

function* ask(
  stage: Stage,
  {
    question,
    answers,
    limits,
  }: Pick<SynthesisInput, "question" | "answers"> & { limits: ReturnType<typeof briefLimits> },
): Operation<Asked> {
  const model = stage.modelOf("synthesis");
  const window =
    model.contextWindow === undefined ? Number.POSITIVE_INFINITY : model.contextWindow * shareOfWindow;
  let left = 0;
  const { agents, totals } = yield* stage.winding.run({
    ...stage.pool,
    ...toollessGates(stage),
    model,
    system: SYNTHESIS,
    key: "synthesis",
    terminal: submitBrief(),
    budget: { ...stage.budget, maxTurns: 3 },
    *orchestrate(pool) {
      let tokens = Math.min(stage.numbers.synthesisTokens, window);
      let made = material({ question, answers, limits, tokens });
      while (!pool.canFit(made.tokens) && made.tokens > 0 && tokens > smallest) {
        tokens = Math.floor(tokens / 2);
        made = material({ question, answers, limits, tokens });
      }
      left = made.left.length;
      yield* pool.waitFor(yield* pool.spawn({ task: made.text }));
    },
  });
  return { result: agents[0], left, totals };
}

/** Below so many tokens there is nothing left to leave out. */
const smallest = 100;

/** A brief counts only if the agent came to its end by itself: a forced or cut one may be half of what was meant. */
function submittedBy(result: AgentResult | undefined): SubmittedBrief | undefined {
  if (result?.exit !== "returned") return undefined;
  return readSubmittedBrief(result.report);
}

/** What was found is not lost with it, and neither is what it cited instead. */
function citesNothing({ sections }: SubmittedBrief): string {
  const cited = sections.flatMap(({ findings }) => findings);
  const instead = cited.length > 0 ? `, but ${cited.join(", ")}` : "";
  return `The synthesis cited nothing that was found${instead}: this brief was made from the reports.`;
}

const failure = (result: AgentResult | undefined): string =>
  `The synthesis did not come to its end (${result?.reason ?? result?.exit ?? "no agent"}): this brief was made from the reports.`;
