import { defaultBudget, type GuardOverrides, type GuardReplay, type ReplayedLimits } from "@agentpool/core";
import { type Effort, efforts } from "@agentpool/research";

/** What of a configuration a replay can judge a run by. */
export interface ReplaySettings extends ReplayedLimits {
  readonly guards: GuardOverrides;
  readonly deny: readonly string[];
  readonly requireApproval: readonly string[];
  readonly grants: readonly string[];
  readonly maxCallsPerTool: Readonly<Record<string, number>>;
}

interface Configured {
  readonly program?: string;
  readonly defaults?: {
    readonly effort?: Effort;
    readonly guards?: GuardOverrides;
    readonly budget?: ReplayedLimits;
  };
  readonly policy?: {
    readonly deny?: readonly string[];
    readonly requireApproval?: readonly string[];
    readonly grants?: readonly string[];
  };
}

/** The settings of a configuration: of a harness as it is now, or as a record has it. */
export function settingsIn(config: unknown): ReplaySettings {
  const { program, defaults = {}, policy = {} } = (config ?? {}) as Configured;
  const {
    maxTurns,
    maxToolCalls,
    maxCallsPerTool = {},
    maxTokens,
    maxCost,
    wallClock,
  } = defaults.budget ?? {};
  const { effort } = defaults;
  // where nobody chose them, the research job's own are by its effort
  const isChosen = program !== undefined || effort === undefined || maxTurns !== defaultBudget.maxTurns;
  return {
    guards: defaults.guards ?? {},
    deny: policy.deny ?? [],
    requireApproval: policy.requireApproval ?? [],
    grants: policy.grants ?? [],
    ...given({
      maxTurns: isChosen ? maxTurns : efforts[effort].researchTurns,
      maxToolCalls,
      maxTokens,
      maxCost,
      wallClock,
    }),
    maxCallsPerTool,
  };
}

/** Settings as a replay takes them. Where they are those that the run had, what it decided stands. */
export function replayOf(
  after: ReplaySettings,
  before: ReplaySettings,
): Omit<GuardReplay, "tools" | "hooks" | "ownTurns"> {
  const { deny, requireApproval, grants } = after;
  const limits = Object.entries(after.maxCallsPerTool).filter(
    ([tool, most]) => before.maxCallsPerTool[tool] !== most,
  );
  const lifted = Object.keys(before.maxCallsPerTool).filter((tool) => !(tool in after.maxCallsPerTool));
  return {
    guards: after.guards,
    had: { deny: before.deny, requireApproval: before.requireApproval },
    ...(sameList(deny, before.deny) ? {} : { deny }),
    ...(sameList(requireApproval, before.requireApproval) ? {} : { requireApproval }),
    ...(sameList(grants, before.grants) ? {} : { grants }),
    ...given(Object.fromEntries(changedLimits(after, before).map((name) => [name, after[name]]))),
    maxCallsPerTool: Object.fromEntries([
      ...limits,
      ...lifted.map((tool) => [tool, Number.POSITIVE_INFINITY] as const),
    ]),
  };
}

/** Limits of agents and of the run, those of tools not among them. */
const LIMITS = ["maxTurns", "maxToolCalls", "maxTokens", "maxCost", "wallClock"] as const;

export type LimitName = (typeof LIMITS)[number];

/** The limits in which settings differ. */
export const changedLimits = (after: ReplaySettings, before: ReplaySettings): LimitName[] =>
  LIMITS.filter((name) => !sameLimit(after[name], before[name]));

function sameLimit(left: ReplaySettings[LimitName], right: ReplaySettings[LimitName]): boolean {
  if (typeof left !== "object" || typeof right !== "object") return left === right;
  return left.soft === right.soft && left.hard === right.hard;
}

/** The limits among `names` that leave more than there was. */
export const raisedLimits = (after: ReplaySettings, before: ReplaySettings): LimitName[] =>
  changedLimits(after, before).filter((name) => highest(after[name]) > highest(before[name]));

/** A limit as a number: of a time, when the run winds down. */
function highest(limit: ReplaySettings[LimitName]): number {
  if (typeof limit !== "object") return limit ?? Number.POSITIVE_INFINITY;
  return Math.min(limit.soft ?? Number.POSITIVE_INFINITY, limit.hard ?? Number.POSITIVE_INFINITY);
}

export const sameList = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((name) => right.includes(name));

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

const given = <T extends object>(values: T): Given<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
