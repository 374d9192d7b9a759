import { RouteError } from "./route-error.ts";

/** How hard agents try, from least to most. */
export const efforts = ["min", "low", "medium", "high", "max"] as const;
export type Effort = (typeof efforts)[number];

/** A key of `models`, read: names by their dotted parts, and conditions. */
export interface Pattern {
  readonly key: string;
  /** `*` stands for any one part; as the last part for one or more. */
  readonly parts: readonly string[];
  readonly conditions: readonly Condition[];
}

export interface Condition {
  readonly operator: keyof typeof operators;
  readonly effort: Effort;
}

const operators = {
  ">=": (asked: number, named: number) => asked >= named,
  "<=": (asked: number, named: number) => asked <= named,
  ">": (asked: number, named: number) => asked > named,
  "<": (asked: number, named: number) => asked < named,
  "=": (asked: number, named: number) => asked === named,
  "!=": (asked: number, named: number) => asked !== named,
} as const;

/**
 * Reads the key of a route: `research`, `review.*`, `*`, `review.tools[effort>=high]`.
 *
 * @throws RouteError for a key that is no route.
 */
export function parsePattern(key: string): Pattern {
  const [, name = "", rest = ""] = /^\s*([^[\]]*?)\s*((?:\[[^[\]]*\]\s*)*)$/.exec(key) ?? [];
  const parts = name.split(".");
  if (name === "" || !parts.every((part) => part === "*" || /^[\w-]+$/.test(part))) throw unreadable(key);
  const conditions = [...rest.matchAll(/\[([^\]]*)\]/g)].flatMap(([, inside = ""]) =>
    inside.split(",").map((text) => parseCondition(text, key)),
  );
  return { key, parts, conditions };
}

function parseCondition(text: string, key: string): Condition {
  const [, operator = "", word = ""] = /^\s*effort\s*(>=|<=|!=|>|<|==?)\s*(\w+)\s*$/.exec(text) ?? [];
  const effort = efforts.find((known) => known === word);
  if (operator === "" || effort === undefined) throw unreadable(key);
  return { operator: (operator === "==" ? "=" : operator) as Condition["operator"], effort };
}

const unreadable = (key: string) =>
  new RouteError(
    [key],
    `models: ${JSON.stringify(key)} is no route; a route is a name, a name with * for a part of it, or *, each with or ` +
      `without a condition, for example research, review.* or review.tools[effort>=high]; efforts are ${efforts.join(", ")}`,
  );

/** Whether a route is for what is asked for, at this effort. */
export function matches({ parts, conditions }: Pattern, asked: string, effort: Effort): boolean {
  const names = asked.split(".");
  if (parts.length > names.length) return false;
  if (parts.length < names.length && parts.at(-1) !== "*") return false;
  if (!parts.every((part, at) => part === "*" || part === names[at])) return false;
  const level = efforts.indexOf(effort);
  return conditions.every(({ operator, effort }) => operators[operator](level, efforts.indexOf(effort)));
}

/**
 * Which of two routes is the more specific: above zero for the first, 0 where neither is. More parts that are names
 * count most, then more parts at all, then more conditions.
 */
export function moreSpecific(a: Pattern, b: Pattern): number {
  const named = ({ parts }: Pattern) => parts.filter((part) => part !== "*").length;
  return named(a) - named(b) || a.parts.length - b.parts.length || a.conditions.length - b.conditions.length;
}
