import {
  type AgentResult,
  parallel,
  type Refusal,
  type ToolLifecycleHooks,
  type Totals,
} from "@agentpool/core";
import type { Operation } from "effection";
import { type Answer, verifiedAnswer } from "./brief/findings.ts";
import { unusable } from "./ledger/ledger.ts";
import { gatesOf, type Stage, type StageOptions, stageOf } from "./options.ts";
import { misquoted, NOTHING_READ, RESEARCH } from "./prompts.ts";
import { readReport, reportFindings } from "./tools/report-findings.ts";
import { noTotals } from "./totals.ts";

/** What came of researching some questions. */
export interface Inquired {
  /** One for each question, in their order: the report of the agent that was asked it. */
  readonly answers: readonly Answer[];
  readonly refusals: readonly Refusal[];
  readonly totals: Totals;
}

/**
 * Researches questions side by side, one agent each. Every quotation of their reports is verified; an agent that fails
 * keeps its siblings' answers, and its own says what went wrong.
 *
 * ```ts
 * const { answers } = yield* inquire(["Who wrote Emma?"], { model, tools, verifier: corpus });
 * ```
 */
export function* inquire(questions: readonly string[], options: StageOptions | Stage): Operation<Inquired> {
  const stage = stageOf(options);
  const { ledger, numbers, winding } = stage;
  if (winding.requested || questions.length === 0) {
    const trouble = "the job was brought to an end before it was researched";
    const answers = questions.map((question, at) =>
      verifiedAnswer({ question, agent: "", number: at + 1, trouble }, undefined, ledger),
    );
    return { answers, refusals: [], totals: noTotals };
  }
  const { agents, totals } = yield* winding.run({
    ...gatesOf(stage),
    ...stage.pool,
    model: stage.modelOf("research"),
    system: RESEARCH,
    key: "research",
    terminal: reportFindings(numbers.findings, [evidence(stage)]),
    orchestrate: parallel(questions.map((question) => ({ task: question }))),
    budget: { maxTurns: numbers.researchTurns, ...stage.budget },
  });
  const answers = questions.map((question, at) => {
    const agent = agents[at];
    const asked = { question, agent: agent?.key ?? "", number: at + 1 };
    const trouble = agent === undefined ? "its agent never started" : troubleOf(agent);
    return verifiedAnswer(
      trouble === undefined ? asked : { ...asked, trouble },
      agent?.report === undefined ? undefined : readReport(agent.report),
      ledger,
    );
  });
  return { answers, refusals: agents.flatMap(({ refusals }) => refusals), totals };
}

/**
 * A floor under reports: something was read, and what is quoted stands there. The first report that does not hold up
 * is sent back; a second one stands, and what does not verify in it is taken out afterwards.
 */
function evidence({ ledger, tools }: Stage): ToolLifecycleHooks {
  return {
    name: "evidence",
    onReturn({ agent, call }) {
      const report = readReport(call?.args);
      if (report === undefined) return undefined;
      if (tools.length > 0 && agent.toolCallCount === 0) return { type: "reject", message: NOTHING_READ };
      const problems = report.findings.flatMap(({ quote, path }) => {
        const verdict = ledger.verify({ quote, source: path });
        return verdict.type === "verified"
          ? []
          : [`${path}: ${unusable[verdict.reason]}: “${quote.slice(0, 80)}”`];
      });
      return problems.length === 0 ? undefined : { type: "reject", message: misquoted(problems) };
    },
  };
}

function troubleOf({ exit, reason, report }: AgentResult): string | undefined {
  if (exit === "returned") return undefined;
  const why = reason ?? exits[exit];
  return report === undefined ? `its agent ended without a report: ${why}` : `its agent was stopped: ${why}`;
}

const exits: Readonly<Record<Exclude<AgentResult["exit"], "returned">, string>> = {
  text: "it answered in text instead of calling report",
  max_turns: "it had used all its turns",
  max_calls: "it had used all its tool calls",
  context: "its context was full",
  budget: "the run's budget was used up",
  deadline: "the run's time was up",
  repetition: "it kept repeating a refused call",
  invalid_output: "its report did not have the form asked for",
  model_error: "its model failed",
  cancelled: "the job was brought to an end",
};
