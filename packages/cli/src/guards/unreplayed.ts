import { isDeepStrictEqual } from "node:util";

/** What a replay takes of a configuration, by its place in harness.yml; and what has no bearing on what agents do. */
const REPLAYED = [
  "defaults.guards",
  "defaults.budget.maxTurns",
  "defaults.budget.maxToolCalls",
  "defaults.budget.maxCallsPerTool",
  "defaults.budget.maxTokens",
  "defaults.budget.maxCost",
  "defaults.budget.wallClock",
  "policy.deny",
  "policy.requireApproval",
  "policy.grants",
  "store",
];

/** Sections whose settings are told apart; others differ as wholes. */
const SECTIONS = ["defaults", "defaults.budget", "policy", "tools"];

/** Places of settings that differ between two configurations, and that a replay takes no notice of. */
export const unreplayed = (now: unknown, then: unknown): readonly string[] => differing(now, then, "");

function differing(now: unknown, then: unknown, place: string): string[] {
  if (REPLAYED.includes(place) || isDeepStrictEqual(now, then)) return [];
  if (place !== "" && !SECTIONS.includes(place)) return [place];
  const [left, right] = [entriesIn(now), entriesIn(then)];
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return keys.flatMap((key) => differing(left[key], right[key], place === "" ? key : `${place}.${key}`));
}

const entriesIn = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
