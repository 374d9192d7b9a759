import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { agentPool, type GuardOverrides, type Model, type PoolEvent } from "@agentpool/core";
import type { Brief } from "@agentpool/research";
import { corpusTools, useCorpus } from "@agentpool/tools";
import { run } from "effection";
import { type Numbers, numbersFor } from "../src/effort.ts";
import { research } from "../src/harness.ts";
import { jobOf } from "../src/job.ts";
import type { Plan } from "../src/plan.ts";
import { keepPlan } from "../src/plan-file.ts";

const cwd = fileURLToPath(new URL("..", import.meta.url));

export interface Scenario {
  readonly model: Model;
  readonly question?: string;
  /** A plan that stands before the job starts. */
  readonly plan?: Omit<Plan, "question">;
  readonly numbers?: Partial<Numbers>;
  /** As in harness.yml. Default: every guard as its tool declares it. */
  readonly guards?: GuardOverrides;
}

export interface Played {
  readonly brief: Brief;
  readonly events: readonly PoolEvent[];
}

/** Runs the whole job over this project's documents, on the model of a test. */
export function play(
  test: TestContext,
  { model, question = "Why?", plan, numbers, guards = {} }: Scenario,
): Promise<Played> {
  const plans = mkdtempSync(join(tmpdir(), "plans-"));
  test.after(() => rmSync(plans, { recursive: true, force: true }));
  if (plan) keepPlan(plans, { question, ...plan });
  const events: PoolEvent[] = [];
  return run(function* () {
    const tools = corpusTools(yield* useCorpus({ paths: "docs", cwd, index: ":memory:" }));
    const job = jobOf({
      question,
      pool: (options) =>
        agentPool({
          model,
          // A stage without tools has nothing to guard.
          ...(options.tools?.length === 0 ? {} : { tools, guards }),
          ...options,
          onEvent: (event) => events.push(event),
        }),
      numbers: { ...numbersFor("medium", 10), ...numbers },
      plans,
    });
    const brief = yield* research(job);
    return { brief, events };
  });
}

/** Calls that guards refused: `agent tool guard`. */
export const refusals = ({ events }: Played): string[] =>
  events.flatMap((event) =>
    event.type === "call:refused" ? [`${event.agent} ${event.tool} ${event.guard}`] : [],
  );
