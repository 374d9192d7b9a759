import { ConfigurationError } from "../values/errors.ts";
import type { AgentPoolOptions } from "../values/options.ts";
import { REVIEW_ROUTES, type Reviewer, type ReviewOptions, type ReviewsAsked } from "../values/reviewer.ts";
import {
  asksForReports,
  asksForSteps,
  EFFORTS,
  type Effort,
  hardest,
  type Rule,
  WEIGHTS,
  widest,
} from "../values/rule.ts";
import { identityOf, type Tool } from "../values/tool.ts";
import { checkList } from "./check-tools.ts";
import { type Named, selects } from "./names.ts";
import { identified, readNames } from "./permissions.ts";

/** What a pool and those around it ask one reviewer for. */
export interface Reviews {
  readonly reviewer: Reviewer;
  readonly asked: ReviewsAsked;
}

/** Whether steps that call a tool are reviewed because of the tool itself. */
export const isConsequential = ({ consequential, source, meta }: Tool): boolean =>
  consequential ??
  (source === "mcp" &&
    (meta?.annotations as { readonly destructiveHint?: unknown } | null | undefined)?.destructiveHint ===
      true);

/** Whether a step that calls a tool is reviewed because of the tool. */
export const isConsequentialIn = (reviews: readonly Reviews[], tool: Named): boolean =>
  reviews.some(({ asked }) => asked.tools.some((pattern) => selects(pattern, tool)));

/** What a pool is held to: what it asks for itself comes on top of what the pools around it ask for. */
export function reviewsOf(
  options: AgentPoolOptions,
  tools: readonly Tool[],
  outer: { readonly reviews: readonly Reviews[]; readonly effort: Effort } | undefined,
  { priced, mayRun }: { readonly priced: boolean; readonly mayRun: (tool: Tool) => boolean },
): readonly Reviews[] {
  const { agent = false, tools: named } = readReview(options.review);
  checkRules(options.rules, tools);
  const patterns = readNames("review.tools", named, tools);
  const own: ReviewsAsked = {
    agent,
    tools: identified(
      [...patterns, ...tools.filter((tool) => mayRun(tool) && isConsequential(tool)).map(identityOf)],
      tools,
    ),
    rules: options.rules ?? [],
    effort: effortOf(options, outer),
    priced,
  };
  const around = outer?.reviews ?? [];
  const reviewer = options.reviewer ?? around.at(-1)?.reviewer;
  if (!reviewer) {
    // a server's word that its tool is destructive is a hint: it asks for a review where there is somebody to give one
    const said = [...patterns, ...tools.filter((tool) => mayRun(tool) && tool.consequential).map(identityOf)];
    const asks = whatAsks({ ...own, tools: identified(said, tools) }, tools);
    if (asks) throw noReviewer(asks);
    return [];
  }
  if (typeof reviewer.hooksFor !== "function")
    throw new ConfigurationError("reviewer: accepted is what reviewer() of @agentpool/review makes.");
  // one who reviews for a pool around goes on doing so, with what is asked for here on top
  const known = around.some((other) => other.reviewer === reviewer);
  const all = known ? around : [...around, { reviewer, asked: own }];
  return all.map((other) => ({
    reviewer: other.reviewer,
    asked: other.reviewer === reviewer ? together(other.asked, own) : { ...other.asked, effort: own.effort },
  }));
}

const together = (a: ReviewsAsked, b: ReviewsAsked): ReviewsAsked => ({
  agent: widest(a.agent, b.agent),
  tools: [...new Set([...a.tools, ...b.tools])],
  rules: [...a.rules, ...b.rules.filter((rule) => !a.rules.includes(rule))],
  effort: b.effort,
  priced: a.priced || b.priced,
});

export function effortOf(
  { effort }: AgentPoolOptions,
  outer: { readonly effort: Effort } | undefined,
): Effort {
  if (effort === undefined) return outer?.effort ?? "medium";
  if (!EFFORTS.includes(effort)) throw unaccepted("effort", effort, EFFORTS);
  return outer ? hardest(outer.effort, effort) : effort;
}

const SCOPES = [true, false, "messages", "all"] as const;

function readReview(review: AgentPoolOptions["review"]): ReviewOptions {
  const read = typeof review === "object" && review !== null ? review : { agent: review ?? false };
  if (read.agent !== undefined && !SCOPES.includes(read.agent))
    throw unaccepted(read === review ? "review.agent" : "review", read.agent, SCOPES);
  return read;
}

const KINDS = ["policy", "observation"] as const;

function checkRules(rules: readonly Rule[] | undefined, tools: readonly Tool[]): void {
  checkList("rules", rules);
  for (const [index, rule] of (rules ?? []).entries()) {
    const place = `rules[${index}]`;
    if (typeof rule !== "object" || rule === null) throw unaccepted(place, rule, ["{ title, content, … }"]);
    for (const part of ["title", "content"] as const)
      if (typeof rule[part] !== "string" || rule[part].trim() === "")
        throw unaccepted(`${place}.${part}`, rule[part], ["a text"]);
    if (rule.when !== undefined && (typeof rule.when !== "string" || rule.when.trim() === ""))
      throw unaccepted(`${place}.when`, rule.when, ["a text"]);
    if (rule.kind !== undefined && !KINDS.includes(rule.kind))
      throw unaccepted(`${place}.kind`, rule.kind, KINDS);
    if (rule.weight !== undefined && !WEIGHTS.includes(rule.weight))
      throw unaccepted(`${place}.weight`, rule.weight, WEIGHTS);
    if (rule.effort !== undefined && !EFFORTS.includes(rule.effort))
      throw unaccepted(`${place}.effort`, rule.effort, EFFORTS);
    if (rule.review !== undefined && !SCOPES.includes(rule.review))
      throw unaccepted(`${place}.review`, rule.review, SCOPES);
    readNames(`${place}.tools`, rule.tools, tools);
  }
}

const unaccepted = (place: string, found: unknown, accepted: readonly unknown[]): ConfigurationError =>
  new ConfigurationError(
    `${place}: found ${JSON.stringify(found) ?? "nothing"}; accepted: ${accepted.join(", ")}.`,
  );

/** Who asks, and which route would have to give it. */
function whatAsks(
  { agent, tools: consequential, rules }: ReviewsAsked,
  tools: readonly Tool[],
): string | undefined {
  const [steps, matching, reports] = REVIEW_ROUTES;
  const tool = tools.find((tool) => consequential.includes(identityOf(tool)));
  if (tool)
    return `steps that call "${tool.name}" are to be reviewed, and no model is there for the route ${steps}`;
  if (asksForSteps(agent))
    return `every step is to be reviewed, and no model is there for the route ${steps}`;
  if (asksForReports(agent))
    return `every report is to be reviewed, and no model is there for the route ${reports}`;
  const [rule] = rules;
  return rule && `the rule "${rule.title}" is there, and nobody for the route ${matching}`;
}

const noReviewer = (why: string): ConfigurationError =>
  new ConfigurationError(
    `reviewer: missing; ${why}. Give the pool one: reviewer({ models: model }) of @agentpool/review, or models by route.`,
  );
