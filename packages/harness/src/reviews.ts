import {
  type AgentPoolOptions,
  type Effort,
  hardest,
  identityOf,
  type Model,
  type ReviewOptions,
  type ReviewRoute,
  type ReviewScope,
  selects,
  type Tool,
  widest,
} from "@agentpool/core";
import type { Routes } from "@agentpool/models";
import { type Depth, reviewer } from "@agentpool/review";
import { ensure, type Operation, resource } from "effection";
import type { Harness } from "./harness.ts";
import { type ModelsOptions, modelsOf } from "./models.ts";

/** What a harness says about reviews, as options of a pool. */
export type Reviewing = Pick<AgentPoolOptions, "review" | "rules" | "effort" | "reviewer">;

/** The reviews of a harness: a reviewer that takes its models from `models`, by route, effort and depth. */
export const useReviews = (harness: Harness, options: ModelsOptions = {}): Operation<Reviewing> =>
  resource(function* (provide) {
    const made = new Map<string, Routes>();
    yield* ensure(function* () {
      for (const routes of made.values()) yield* routes.close();
    });
    const { defaults, policy } = harness.config;
    const { agent = false, tools = [], rules = [], ...how } = policy.review ?? {};
    const modelFor = (route: ReviewRoute, at: { readonly effort: Effort; readonly depth: Depth }): Model => {
      const key = `${at.effort} ${at.depth}`;
      const routes =
        made.get(key) ?? modelsOf(harness, { ...options, effort: at.effort, reasoning: at.depth });
      made.set(key, routes);
      return routes.modelFor(route);
    };
    yield* provide({
      review: { agent, tools },
      rules,
      effort: defaults.effort,
      reviewer: reviewer({ ...how, models: modelFor }),
    });
  });

/**
 * What a job asks for beside its harness: it can ask for more, and not take anything back. It may be tried harder than
 * the harness says, and not less: at less effort there would be fewer reviews, and none at `min`. Names of the harness that
 * select none of the job's tools are left out where the job has names of its own, so that those can be checked.
 */
export function reviewedToo(harness: Reviewing, own: Reviewing, tools: readonly Tool[]): Reviewing {
  const [around, inside] = [readReview(harness.review), readReview(own.review)];
  const isKnown = (pattern: string): boolean =>
    pattern.includes("*") ||
    tools.some((tool) => selects(pattern, { name: tool.name, identity: identityOf(tool) }));
  return {
    ...harness,
    review: {
      agent: widest(around.agent ?? false, inside.agent ?? false),
      tools: inside.tools ? [...(around.tools ?? []).filter(isKnown), ...inside.tools] : around.tools,
    },
    rules: [...(harness.rules ?? []), ...(own.rules ?? [])],
    effort: hardest(harness.effort ?? "min", own.effort ?? "min"),
    ...(own.reviewer === undefined ? {} : { reviewer: own.reviewer }),
  };
}

const readReview = (review: ReviewScope | ReviewOptions | undefined): ReviewOptions =>
  typeof review === "object" ? review : { agent: review ?? false };
