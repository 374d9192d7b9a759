import { type Budget, defaultBudget } from "../values/budget.ts";
import { ConfigurationError } from "../values/errors.ts";
import type { Tool } from "../values/tool.ts";
import { unknownName } from "./names.ts";
import { isChecked } from "./overrides.ts";

/** Limits that have no default. */
const OPTIONAL = ["maxTokens", "maxCost", "wallClock"];

/** Limits that are not numbers, and those that may be 0; every other is a whole number from 1. */
const OBJECTS = ["context", "wallClock", "maxCallsPerTool"];
const FROM_ZERO = ["maxToolRetries", "runRetries", "maxToolCalls", "maxCost", "maxTokens"];

const show = (value: unknown): string => (typeof value === "number" ? String(value) : JSON.stringify(value));

/** Throws where a limit is none. Names the limit, what was found and what is accepted. */
export function checkBudget(budget: Budget): void {
  for (const [key, value] of Object.entries(budget)) {
    if (!Object.hasOwn(defaultBudget, key) && !OPTIONAL.includes(key))
      throw new ConfigurationError(
        `budget.${unknownName("limit", key, [...Object.keys(defaultBudget), ...OPTIONAL])}`,
      );
    if (OBJECTS.includes(key) || (value === undefined && OPTIONAL.includes(key))) continue;
    const least = FROM_ZERO.includes(key) ? 0 : 1;
    const whole = key === "maxCost" || value === Number.POSITIVE_INFINITY || Number.isInteger(value);
    if (!(typeof value === "number" && value >= least && whole))
      throw new ConfigurationError(
        `budget.${key}: found ${show(value)}; accepted are ${key === "maxCost" ? "" : "whole "}numbers from ${least}.`,
      );
  }
  checkWallClock(budget.wallClock);
  const { soft, hard } = budget.context;
  if (!(soft > 0 && soft <= hard))
    throw new ConfigurationError(
      `budget.context.soft: found ${soft}; accepted are shares from 0 to hard, ${hard}.`,
    );
  if (!(hard > 0 && hard <= 1))
    throw new ConfigurationError(`budget.context.hard: found ${hard}; accepted are shares from 0 to 1.`);
}

function checkWallClock(wallClock: unknown): void {
  if (wallClock === undefined) return;
  const place = "budget.wallClock";
  if (typeof wallClock !== "object" || wallClock === null)
    throw new ConfigurationError(
      `${place}: found ${JSON.stringify(wallClock)}; accepted is { soft, hard }, in milliseconds.`,
    );
  for (const [key, value] of Object.entries(wallClock)) {
    if (key !== "soft" && key !== "hard")
      throw new ConfigurationError(`${place}.${unknownName("limit", key, ["soft", "hard"])}`);
    if (value !== undefined && !(typeof value === "number" && value >= 0))
      throw new ConfigurationError(
        `${place}.${key}: found ${show(value)}; accepted are milliseconds from 0.`,
      );
  }
  const { soft = 0, hard = Number.POSITIVE_INFINITY } = wallClock as { soft?: number; hard?: number };
  if (soft > hard)
    throw new ConfigurationError(
      `${place}.soft: found ${soft}; accepted are milliseconds up to hard, ${hard}.`,
    );
}

export function checkCallsPerTool(
  limits: { readonly [tool: string]: number } = {},
  tools: readonly Tool[],
): void {
  const names = tools.map((tool) => tool.name);
  for (const [name, limit] of Object.entries(limits)) {
    const place = "budget.maxCallsPerTool";
    if (!names.includes(name) && !isChecked(limits))
      throw new ConfigurationError(`${place}: ${unknownName("tool", name, names)}`);
    if (!(typeof limit === "number" && limit >= 0))
      throw new ConfigurationError(`${place}.${name}: found ${show(limit)}; accepted are numbers from 0.`);
  }
}

/** A context's shares as they were given: the defaults are filled in afterwards. */
export function checkContext(context: unknown): void {
  if (context !== undefined && (typeof context !== "object" || context === null))
    throw new ConfigurationError(
      `budget.context: found ${show(context)}; accepted is { soft, hard }, shares of the window.`,
    );
}
