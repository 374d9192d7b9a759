import { type AgentResult, chain, parallel, type Totals } from "@agentpool/core";
import { type Answer, readReport, reportFindings, verifiedAnswer } from "@agentpool/research";
import type { Operation } from "effection";
import { evidence } from "./hooks.ts";
import type { Job } from "./job.ts";
import type { Plan } from "./plan.ts";
import { prompt } from "./prompts.ts";

export interface Inquired {
  /** One for each inquiry, in their order. Every finding is verified: it stands in a source that somebody read. */
  readonly answers: readonly Answer[];
  readonly totals: Totals;
}

/** Researches a plan: one agent for each inquiry. One that fails keeps the others' reports. */
export function* inquire({ inquiries, order }: Plan, { pool, numbers, ledger }: Job): Operation<Inquired> {
  const answerOf = (question: string, number: number, agent: AgentResult | undefined): Answer => {
    const trouble =
      agent?.exit === "returned" ? {} : { trouble: agent?.reason ?? agent?.exit ?? "never started" };
    return verifiedAnswer(
      { question, number, agent: agent?.key ?? "", ...trouble },
      readReport(agent?.report),
      ledger,
    );
  };
  const tasks = inquiries.map((task) => ({ task, budget: { maxTurns: numbers.turns } }));
  const { agents, totals } = yield* pool({
    key: "inquiry",
    system: prompt("inquiry"),
    terminal: reportFindings(numbers.findings, [evidence(ledger)]),
    orchestrate:
      order === "parallel"
        ? parallel(tasks)
        : // Each report grows the spine: the agents after it fork with what it found and from where.
          chain(tasks, (agent) => ({ user: agent.task, assistant: cited(answerOf(agent.task, 0, agent)) })),
  });
  return { answers: inquiries.map((question, at) => answerOf(question, at + 1, agents[at])), totals };
}

/** A report in words, each quotation with its source. */
const cited = ({ result, findings, notFound }: Answer): string =>
  [result, ...findings.map(({ text, source, lines }) => `“${text}” (${source}:${lines.join("-")})`), notFound]
    .filter(Boolean)
    .join("\n");
