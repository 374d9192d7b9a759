import {
  asksForReports,
  asksForSteps,
  type ReviewDesk,
  type Reviewer,
  type ReviewRoute,
  type ReviewsAsked,
  type ToolLifecycleHooks,
} from "@agentpool/core";
import { depthOf, effortOf } from "./effort.ts";
import type { Bench } from "./judge.ts";
import { judgeReport } from "./judge-report.ts";
import { judgeStep } from "./judge-step.ts";
import { checkModel, modelGiven } from "./models.ts";
import { type Options, optionsOf, type ReviewerOptions } from "./options.ts";
import { isConditional } from "./rules.ts";
import { Turns } from "./turns.ts";

/**
 * Gives the reviews that a pool asks for: a second model, in a session and with a prompt of its own, judges a step's
 * calls before any of them runs, and a report before it is returned.
 *
 * ```ts
 * const result = yield* agentPool({
 *   model,
 *   tools: [cancelOrder],                        // consequential: true
 *   rules: [{ title: "Shipped", content: "Only orders that have not shipped may be cancelled." }],
 *   reviewer: reviewer({ models: { "review.*": resolveModel("anthropic/claude-haiku-4-5") } }),
 *   orchestrate: parallel(tasks),
 * });
 * ```
 *
 * @throws ConfigurationError, when a pool opens in which something asks for a review and no model is there for its
 * route.
 */
export function reviewer(options: ReviewerOptions = {}): Reviewer {
  const filled = optionsOf(options);
  return { hooksFor: (asked, desk) => hooksFor(asked, desk, filled) };
}

function hooksFor(asked: ReviewsAsked, desk: ReviewDesk, options: Options): ToolLifecycleHooks {
  checkRoutes(asked, options);
  const turns = new Turns(desk, options, asked);
  const bench: Bench = { desk, options, asked, turns };
  const { agent, tools, rules } = asked;
  const mayReview = {
    steps: asksForSteps(agent) || tools.length > 0 || rules.some(({ review }) => asksForSteps(review)),
    reports: asksForReports(agent) || rules.some(({ review }) => asksForReports(review)),
  };
  return {
    name: "review",
    // it counts by effort itself, and bounds its models itself, waits not counted
    restarts: Number.POSITIVE_INFINITY,
    timeoutMs: Number.POSITIVE_INFINITY,
    ...(rules.length > 0 ? { beforeTurn: (input) => turns.begin(input) } : {}),
    ...(mayReview.steps ? { onPropose: (input) => judgeStep(bench, input) } : {}),
    ...(mayReview.reports ? { onReturn: (input) => judgeReport(bench, input) } : {}),
  };
}

/** Every route that something asks for has a model, at the pool's effort and at those that rules raise it to. */
function checkRoutes({ agent, tools, rules, effort, priced }: ReviewsAsked, { models }: Options): void {
  const efforts = new Set([effort, ...rules.map((rule) => effortOf(effort, [rule]))]);
  const check = (route: ReviewRoute, why: string): void => {
    // at min rules are still matched, and nothing is reviewed
    for (const at of efforts)
      if (at !== "min" || route === "review.rules")
        checkModel(modelGiven(models, route, { effort: at, depth: depthOf(at, []) }), {
          route,
          effort: at,
          why,
          priced,
        });
  };
  const [tool] = tools;
  if (asksForSteps(agent)) check("review.tools", "every step is to be reviewed");
  if (tool !== undefined) {
    const wayOut = tool.startsWith("mcp:") ? " (unless its server is set to consequential: none)" : "";
    check("review.tools", `steps that call ${tool} are to be reviewed${wayOut}`);
  }
  if (asksForReports(agent)) check("review.messages", "every report is to be reviewed");
  for (const rule of rules) {
    const why = `the rule "${rule.title}" asks for it`;
    if (isConditional(rule)) check("review.rules", why);
    if (asksForSteps(rule.review)) check("review.tools", why);
    if (asksForReports(rule.review)) check("review.messages", why);
  }
}
