import type { Model } from "@agentpool/core";
import type { Operation } from "effection";
import { type FallbackOptions, fallback } from "../fallback/fallback.ts";
import { MissingKeyError } from "../providers/missing-key.ts";
import { type ModelSettings, resolveModel } from "../providers/resolve-model.ts";
import { type Effort, matches, moreSpecific, type Pattern, parsePattern } from "./pattern.ts";
import { RouteError } from "./route-error.ts";
import { unusable } from "./unusable.ts";

/** A model by name, with the settings of its route. */
export interface RouteSettings
  extends Pick<
    ModelSettings,
    "reasoning" | "temperature" | "maxTokens" | "contextWindow" | "timeoutMs" | "price" | "emulate" | "cwd"
  > {
  readonly model: string;
}

/** What a route gives: a model, or several, the next tried when one is down. */
export type RouteTarget = string | RouteSettings | readonly (string | RouteSettings)[];

/** Routes by what is asked for: `models` of `harness.yml`. */
export interface RoutesConfig {
  readonly [route: string]: RouteTarget;
}

export interface RoutesOptions extends FallbackOptions {
  /** What runs where no route matches. Default `extractive`. */
  readonly model?: string;
  /** What conditions are held against. Default `medium`. */
  readonly effort?: Effort;
  /** Makes a model of a name and its settings. Default: {@link resolveModel}. */
  readonly resolve?: (name: string, settings: Omit<RouteSettings, "model">) => Model;
}

/** The models a run asks for by what they are for. */
export const knownRoutes = [
  "plan",
  "research",
  "synthesis",
  "review.tools",
  "review.rules",
  "review.messages",
] as const;

export interface Routes {
  /** The model for what is asked for; the same one each time. Throws ConfigurationError where it cannot be made. */
  modelFor(asked: string): Model;
  /** Which route that is, and what it names. */
  routeFor(asked: string): Route;
  /** One of a route's models by itself, without those that stand in for it. */
  alone(target: RouteSettings): Model;
  /** Frees what the models hold. Whoever asks again gets models that load again. */
  close(): Operation<void>;
}

export interface Route {
  readonly asked: string;
  /** The key in `models`; undefined: no route matched, and `model` runs. */
  readonly route: string | undefined;
  /** One, or the models that are tried in order. */
  readonly targets: readonly RouteSettings[];
}

/**
 * Models by what they are asked for.
 *
 * ```ts
 * const models = routes(
 *   {
 *     "*": "ollama/qwen3:8b",
 *     "review.*": { model: "anthropic/claude-haiku-4-5", temperature: 0 },
 *     "review.tools[effort>=high]": ["anthropic/claude-opus-4-5", "openai/gpt-5"],
 *   },
 *   { effort: "high" },
 * );
 * const model = models.modelFor("review.tools");
 * ```
 *
 * The most specific route that matches gives the model: the one with more parts named, then the one with more parts,
 * then the one with more conditions. A list is a {@link fallback}; a model of a list whose key is missing is skipped,
 * with the event of any other move.
 *
 * @throws RouteError for a key that is no route, and where two routes match equally well, naming both.
 */
export function routes(config: RoutesConfig, options: RoutesOptions = {}): Routes {
  const { model: otherwise = "extractive", effort = "medium", resolve = resolveModel } = options;
  const patterns = Object.keys(config).map(parsePattern);
  const made = new Map<string, Model>();

  function routeFor(asked: string): Route {
    const route = best(patterns, asked, effort)?.key;
    const target = route === undefined ? otherwise : config[route]!;
    const targets = (isList(target) ? target : [target]).map((one) =>
      typeof one === "string" ? { model: one } : one,
    );
    if (targets.length === 0) {
      throw new RouteError([route!], `models: ${JSON.stringify(route)} got an empty list of models`);
    }
    return { asked, route, targets };
  }

  const modelFor = (asked: string): Model => kept(routeFor(asked).targets);

  function kept(targets: readonly RouteSettings[]): Model {
    const key = JSON.stringify(targets);
    let model = made.get(key);
    if (model === undefined) {
      model = modelOf(targets);
      made.set(key, model);
    }
    return model;
  }

  function modelOf(targets: readonly RouteSettings[]): Model {
    if (targets.length === 1) return resolved(targets[0]!);
    const models = targets.map((target) => {
      try {
        return resolved(target);
      } catch (error) {
        if (!(error instanceof MissingKeyError)) throw error;
        return unusable(target.model, error);
      }
    });
    const missing = models.find((model) => "error" in model);
    if (missing && models.every((model) => "error" in model)) throw (missing as { error: Error }).error;
    return fallback(models, options);
  }

  const resolved = ({ model, ...settings }: RouteSettings): Model => resolve(model, settings);

  // A tie is found now, not when the job comes to it.
  for (const asked of [...knownRoutes, ...patterns.map(({ parts }) => parts.join("."))]) {
    best(patterns, asked, effort);
  }
  function* close(): Operation<void> {
    const models = [...made.values()];
    made.clear();
    for (const model of models) if (model.close) yield* model.close();
  }

  return { modelFor, routeFor, alone: (target) => kept([target]), close };
}

function best(patterns: readonly Pattern[], asked: string, effort: Effort): Pattern | undefined {
  const [first, second] = patterns
    .filter((pattern) => matches(pattern, asked, effort))
    .sort((a, b) => moreSpecific(b, a));
  if (first && second && moreSpecific(first, second) === 0) {
    throw new RouteError(
      [first.key, second.key],
      `models: ${JSON.stringify(first.key)} and ${JSON.stringify(second.key)} match ${asked} equally well ` +
        `(effort ${effort}); name more of it in one of them, or take one out`,
    );
  }
  return first;
}

const isList = (target: RouteTarget): target is readonly (string | RouteSettings)[] => Array.isArray(target);
