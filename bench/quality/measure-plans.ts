import { extractive } from "@agentpool/models";
import { plan } from "@agentpool/research";
import { type Corpus, corpusTools } from "@agentpool/tools";
import type { Operation } from "effection";
import type { Question } from "./dataset.ts";
import { formed, takesApart } from "./forms.ts";

/** How often the job takes a question apart as it should. Shares, 0 to 1. */
export interface PlanShares {
  /** Questions of several parts, in forms that the data does not have. */
  readonly composites: number;
  /** Forms that are taken apart less often than nine times in ten. */
  readonly poor: readonly string[];
  /** Questions of one part. */
  readonly singles: number;
}

/** Plans so many composites of each form, and every question by itself. */
export function* measurePlans(
  corpus: Corpus,
  questions: readonly Question[],
  each: number,
): Operation<PlanShares> {
  const options = { model: extractive(), tools: corpusTools(corpus), verifier: corpus };
  const byForm = new Map<string, boolean[]>();
  for (const { form, question, parts } of formed(questions, each)) {
    const planned = yield* plan(question, options);
    byForm.set(form, [...(byForm.get(form) ?? []), takesApart(planned.questions, parts)]);
  }
  let whole = 0;
  for (const { question } of questions) {
    const planned = yield* plan(question, options);
    if (planned.questions.length === 1) whole++;
  }
  const poor = [...byForm].filter(([, apart]) => shareOf(apart) < 0.9).map(([form]) => form);
  return { composites: shareOf([...byForm.values()].flat()), poor, singles: whole / questions.length };
}

const shareOf = (list: readonly boolean[]): number => list.filter(Boolean).length / Math.max(1, list.length);
