import { config, defineHarness } from "@agentpool/harness";
import type { Brief } from "@agentpool/research";
import type { Operation } from "effection";
import { numbersFor } from "./effort.ts";
import { hooks } from "./hooks.ts";
import { inquire } from "./inquiries.ts";
import { type Job, jobOf } from "./job.ts";
import { planFor } from "./plan.ts";
import { planText } from "./plan-file.ts";
import { synthesise } from "./synthesis.ts";

/** A question in, a brief out: plan → inquiries → sections. */
export function* research(job: Job): Operation<Brief> {
  const planned = yield* planFor(job);
  const inquired = yield* inquire(planned.plan, job);
  return yield* synthesise({ planned, inquired }, job);
}

export default defineHarness({
  hooks,
  *run(asked, { pool }) {
    const { defaults, question } = config();
    // `pool run plan: …` makes the plan and stops there, so that you can edit it.
    const onlyPlan = /^plan:\s*/i.exec(asked)?.[0];
    const job = jobOf({
      question: asked.slice(onlyPlan?.length ?? 0) || question || "",
      pool,
      numbers: numbersFor(defaults.effort, defaults.budget.maxTurns),
      plans: "plans",
    });
    return onlyPlan === undefined ? yield* research(job) : planText((yield* planFor(job)).plan);
  },
});
