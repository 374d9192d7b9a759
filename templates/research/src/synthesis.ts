import type { AgentResult, PoolContext, Totals } from "@agentpool/core";
import {
  type Answer,
  addTotals,
  assemble,
  type Brief,
  material,
  noTotals,
  readSubmittedBrief,
  type SubmittedSection,
  submitBrief,
} from "@agentpool/research";
import type { Operation } from "effection";
import type { Inquired } from "./inquiries.ts";
import type { Job } from "./job.ts";
import type { Planned } from "./plan.ts";
import { prompt } from "./prompts.ts";

interface Material {
  readonly planned: Planned;
  readonly inquired: Inquired;
}

/** The brief: a section for each answer, each written by an agent of its own from its own findings. */
export function* synthesise(
  { planned, inquired: { answers, totals } }: Material,
  job: Job,
): Operation<Brief> {
  const written = yield* sections(answers, job);
  const failed = answers.some(({ trouble }) => trouble) || written.failed;
  return assemble({
    question: job.question,
    answers,
    submitted: written.sections.length > 0 ? { sections: written.sections } : undefined,
    limits: {
      quotations: job.numbers.quotations * answers.length,
      words: job.numbers.words * answers.length,
    },
    ledger: job.ledger,
    totals: [totals, written.totals].reduce(addTotals, planned.totals),
    status: failed ? "partial" : "complete",
    notices: [planned.notice, ...written.notices],
  });
}

interface Written {
  readonly sections: readonly SubmittedSection[];
  readonly notices: readonly string[];
  /** Whether some section had to be made without its writer. */
  readonly failed: boolean;
  readonly totals: Totals;
}

function* sections(answers: readonly Answer[], { pool, numbers }: Job): Operation<Written> {
  // Where nothing was found there is nothing to write; where the job was brought to its end, nobody to write it.
  const found = answers.filter(({ findings }) => findings.length > 0);
  if (found.length === 0) return { sections: [], notices: [], failed: false, totals: noTotals };
  const notices: string[] = [];
  const { agents, totals } = yield* pool({
    key: "section",
    system: prompt("section"),
    tools: [],
    terminal: submitBrief(),
    *orchestrate(context) {
      const writers = [];
      for (const answer of found) {
        const { text, left } = sized(answer, numbers, context);
        if (left.length > 0)
          notices.push(`“${answer.question}”: of its findings ${left.length} did not fit and were left out.`);
        writers.push(yield* context.spawn({ task: text, budget: { maxTurns: 2 } }));
      }
      for (const writer of writers) yield* context.waitFor(writer);
    },
  });
  const made = found.map((answer, at) => sectionOf(agents[at]) ?? withoutWriter(answer, numbers));
  const failed = found.filter((_, at) => sectionOf(agents[at]) === undefined);
  for (const { question } of failed)
    notices.push(`“${question}”: its section was made from its report alone.`);
  return { sections: made, notices, failed: failed.length > 0, totals };
}

/** An answer's findings as a task that fits into its writer's context; the least sure ones are left out first. */
function sized(answer: Answer, numbers: Job["numbers"], { canFit }: PoolContext) {
  const { quotations, words } = numbers;
  const within = (tokens: number) =>
    material({ question: answer.question, answers: [answer], limits: { quotations, words }, tokens });
  let tokens = numbers.tokens;
  while (tokens > 100 && !canFit(within(tokens).tokens)) tokens = Math.floor(tokens / 2);
  return within(tokens);
}

/** A section counts only if its writer came to the end by itself: a cut one may be half of what was meant. */
const sectionOf = (agent: AgentResult | undefined): SubmittedSection | undefined =>
  agent?.exit === "returned" ? readSubmittedBrief(agent.report)?.sections[0] : undefined;

const withoutWriter = ({ question, findings }: Answer, { quotations }: Job["numbers"]): SubmittedSection => ({
  question,
  findings: findings.slice(0, quotations).map(({ id }) => id),
});
