import { dirname } from "node:path";
import { ConfigurationError, type Effort, type Model, nearest } from "@agentpool/core";
import {
  type FallbackEvent,
  knownRoutes,
  type ModelSettings,
  type Route,
  RouteError,
  type RouteSettings,
  type Routes,
  type RoutesConfig,
  resolveModel,
  routes,
} from "@agentpool/models";
import { ensure, type Operation, resource } from "effection";
import type { Harness } from "./harness.ts";
import { describeOrigin } from "./origin.ts";
import { HarnessError, type Problem } from "./problem.ts";

/** The models of a harness by what they are asked for: `research`, `review.tools`; `*` for nothing in particular. */
export interface Models extends Omit<Routes, "close"> {
  /** The model for what is asked for; the same one each time. Throws {@link HarnessError} where it cannot be made. */
  modelFor(asked: string): Model;
}

export interface ModelsOptions {
  /** Sees every move of a conversation from a model that is down to the next of its list. */
  readonly onFallback?: (event: FallbackEvent) => void;
  /** Where keys are looked for. Default: the process' environment. */
  readonly env?: ModelSettings["env"];
  /** What conditions of routes are held against. Default: that of the harness. */
  readonly effort?: Effort;
  /** How much to reason where a route does not say, for models that are known to take it. */
  readonly reasoning?: string;
}

/** {@link modelsOf} for as long as a scope lives: then everything that the models hold is free. */
export const useModels = (harness: Harness, options: ModelsOptions = {}): Operation<Models> =>
  resource(function* (provide) {
    const models = modelsOf(harness, options);
    yield* ensure(() => models.close());
    yield* provide(models);
  });

/** Throws {@link HarnessError} for routes that cannot be followed, naming the place of each key. */
export function modelsOf(harness: Harness, options: ModelsOptions = {}): Routes {
  const { onFallback, env, effort = harness.config.defaults.effort, reasoning } = options;
  const { config } = harness;
  const fixed = { providers: config.providers, ...(env ? { env } : {}) };
  /** The name that was looked at when something was found wrong. */
  let looking: string | undefined;
  const made = located(harness, undefined, () =>
    routes(
      { ...configured(harness) },
      {
        model: config.model,
        effort,
        ...(onFallback ? { onEvent: onFallback } : {}),
        resolve(name, settings) {
          looking = name;
          const cwd = folderOf(harness, ["model"]);
          const thinking = reasoning !== undefined && takesReasoning(name) ? { reasoning } : {};
          return resolveModel(name, { cwd, ...thinking, ...settings, ...fixed });
        },
      },
    ),
  );
  return {
    routeFor: (asked) => made.routeFor(asked),
    modelFor: (asked) =>
      located(
        harness,
        () => pathOf(made.routeFor(asked), looking),
        () => made.modelFor(asked),
      ),
    alone: (target) => made.alone(target),
    close: () => made.close(),
  };
}

/** Providers refuse an effort where a model has none to give, so that only families are asked that are known to. */
const takesReasoning = (name: string): boolean =>
  /^(openai\/(gpt-5|o\d)|google\/gemini-(2\.5|[3-9])|anthropic\/claude-opus-4-[5-9])/.test(name);

/** Routes that nothing asks for while something of nearly that name is asked for. A program may ask for anything. */
export function misspeltRoutes(harness: Harness): string[] {
  if (harness.program !== undefined) return [];
  return Object.keys(harness.config.models).flatMap((route) => {
    const name = route.replace(/\[.*$/s, "").trim();
    if (name.includes("*") || (knownRoutes as readonly string[]).includes(name)) return [];
    const near = nearest(name, knownRoutes);
    if (near === undefined) return [];
    const place = describeOrigin(harness.originOf(["models", route], "key"));
    return [`${place}: models.${route} is asked for by nothing; did you mean ${near}?`];
  });
}

type Path = readonly (string | number)[];

/** The routes with the folders that their paths start from. */
const configured = (harness: Harness): RoutesConfig =>
  Object.fromEntries(
    Object.entries(harness.config.models).map(([route, target]) => {
      const whole = Array.isArray(target)
        ? target.map((one, at) => based(one, harness, ["models", route, at]))
        : based(target, harness, ["models", route]);
      return [route, whole];
    }),
  );

function based(target: string | RouteSettings, harness: Harness, path: Path): string | RouteSettings {
  const settings = typeof target === "string" ? { model: target } : target;
  return settings.model.startsWith("llama:") ? { ...settings, cwd: folderOf(harness, path) } : target;
}

/** Paths written in a file start from its folder, others from where the command was called. */
function folderOf(harness: Harness, path: Path): string {
  const { file, cwd } = harness;
  return file !== undefined && harness.originOf(path, "value").type === "file" ? dirname(file) : cwd;
}

/** The place of the model that a route could not give. */
function pathOf({ route, targets }: Route, name: string | undefined): Path {
  if (route === undefined) return ["model"];
  const at = targets.findIndex(({ model }) => model === name);
  return targets.length > 1 && at >= 0 ? ["models", route, at] : ["models", route];
}

/** Gives errors the places that they are about. */
function located<T>(harness: Harness, path: (() => Path) | undefined, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const places: Path[] =
      error instanceof RouteError ? error.routes.map((route) => ["models", route]) : [path?.() ?? ["model"]];
    const part = error instanceof RouteError ? "key" : "value";
    const { message } = error;
    throw new HarnessError(
      places.map((place): Problem => ({ origin: harness.originOf(place, part), key: "", message })),
    );
  }
}
