import { defineTool, parallel, type Totals } from "@agentpool/core";
import { addTotals, noTotals } from "@agentpool/research";
import type { Operation } from "effection";
import { z } from "zod";
import type { Job } from "./job.ts";
import { keepPlan, keptPlan } from "./plan-file.ts";
import { prompt } from "./prompts.ts";
import { scout } from "./scout.ts";

/** What is to be found out, and in which order. */
export interface Plan {
  readonly question: string;
  /** `parallel`: side by side. `chain`: one after another, each starting with the reports of those before it. */
  readonly order: "parallel" | "chain";
  readonly inquiries: readonly string[];
}

export interface Planned {
  readonly plan: Plan;
  /** What a reader of the brief has to know about it. */
  readonly notice: string;
  readonly totals: Totals;
}

/** The plan that is kept for the question, as it was made or edited; else a new one, which is kept. */
export function* planFor(job: Job): Operation<Planned> {
  const { question, pool, numbers, plans } = job;
  const kept = keptPlan(plans, question);
  if (kept)
    return { ...kept, notice: `By the plan in ${kept.file}. Delete it to plan anew.`, totals: noTotals };
  const scouted = yield* scout(job);
  const { agents, totals } = yield* pool({
    key: "plan",
    system: prompt("plan"),
    tools: [],
    terminal: submitPlan(numbers.inquiries),
    orchestrate: parallel([`What a scout saw:\n${scouted.seen}\n\nQuestion: ${question}`]),
  });
  const made = submitted.safeParse(agents[0]?.report);
  const spent = addTotals(scouted.totals, totals);
  if (!made.success) {
    const plan: Plan = { question, order: "parallel", inquiries: [question] };
    return { plan, notice: "No plan was made: the question was researched as one.", totals: spent };
  }
  const plan: Plan = { question, order: made.data.order, inquiries: made.data.questions };
  return { plan, notice: `The plan is in ${keepPlan(plans, plan)}: edit it, and run again.`, totals: spent };
}

const submitted = z.object({
  questions: z.array(z.string().trim().min(1)).min(1).describe("The inquiries, in order."),
  order: z
    .enum(["parallel", "chain"])
    .default("parallel")
    .describe("chain: each inquiry starts with the reports of those before it."),
});

const submitPlan = (most: number) =>
  defineTool({
    name: "submit_plan",
    description: "Hands in the plan, and ends.",
    parameters: submitted.extend({ questions: submitted.shape.questions.max(most) }),
    execute: (plan) => plan,
  });
