import { ConfigurationError, type Effort, type Model, type ReviewRoute } from "@agentpool/core";
import type { Depth } from "./effort.ts";

/** What a model is needed for: a more thorough review may want another, or the same with more reasoning. */
export interface ReviewAt {
  readonly effort: Effort;
  /** How thorough the review has to be; a route that has its own `reasoning` keeps it. */
  readonly depth: Depth;
}

/**
 * The models that review: one for everything, some by route, or a function that gives them. Undefined: there is none
 * for that route.
 */
export type ReviewModels =
  | Model
  | { readonly [route in ReviewRoute | "review.*" | "*"]?: Model }
  | ((route: ReviewRoute, at: ReviewAt) => Model | undefined);

/** The model of a route: the most specific one that is there. One that cannot judge is none. */
export function modelFor(
  models: ReviewModels | undefined,
  route: ReviewRoute,
  at: ReviewAt,
): Model | undefined {
  const model = modelGiven(models, route, at);
  return model && canJudge(model) ? model : undefined;
}

/** What is there for a route, whether or not it can judge. */
export function modelGiven(
  models: ReviewModels | undefined,
  route: ReviewRoute,
  at: ReviewAt,
): Model | undefined {
  if (models === undefined) return undefined;
  if (typeof models === "function") return models(route, at);
  if (isModel(models)) return models;
  return models[route] ?? models["review.*"] ?? models["*"];
}

/** The embedded engine is no language model; a list of models, whose name has all of theirs, may come to it. */
const canJudge = ({ id }: Model): boolean => !id.split(" | ").includes("extractive");

const isModel = (models: object): models is Model => typeof (models as Partial<Model>).open === "function";

/** Throws where a route has no model that can judge, or one whose price a budget in dollars needs and nobody knows. */
export function checkModel(
  model: Model | undefined,
  asked: {
    readonly route: ReviewRoute;
    readonly effort: Effort;
    /** Who asks. */
    readonly why: string;
    readonly priced: boolean;
  },
): void {
  const { route, effort, why, priced } = asked;
  if (!model)
    throw new ConfigurationError(
      `reviewer: ${why}, and at effort ${effort} no model is there for the route ${route}; give it one, for example models: { "${route}": model }.`,
    );
  if (!canJudge(model))
    throw new ConfigurationError(
      model.id === "extractive"
        ? `reviewer: ${why}, and at effort ${effort} no model is there for the route ${route}: it comes to the embedded engine "extractive", which is no language model and cannot judge. Give the route another, for example models: { "${route}": anthropic/claude-haiku-4-5 }.`
        : `reviewer: ${why}, and at effort ${effort} the route ${route} can come to the embedded engine "extractive" (${model.id}), which is no language model and cannot judge. Take it out of the route's list, or give the route ${route} models of its own.`,
    );
  if (priced && !model.price)
    throw new ConfigurationError(
      `budget.maxCost: the price of ${model.id}, the model of the route ${route}, is not known, so dollars cannot be counted; give the model a price.`,
    );
}
