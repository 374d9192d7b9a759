import type { GuardOverrides, GuardReplay } from "@agentpool/core";

/** What of a configuration a replay can judge calls by. */
export interface ReplaySettings {
  readonly guards: GuardOverrides;
  readonly deny: readonly string[];
  readonly requireApproval: readonly string[];
  readonly grants: readonly string[];
  readonly maxToolCalls: number | undefined;
  readonly maxCallsPerTool: Readonly<Record<string, number>>;
}

interface Configured {
  readonly defaults?: {
    readonly guards?: GuardOverrides;
    readonly budget?: {
      readonly maxToolCalls?: number;
      readonly maxCallsPerTool?: Readonly<Record<string, number>>;
    };
  };
  readonly policy?: {
    readonly deny?: readonly string[];
    readonly requireApproval?: readonly string[];
    readonly grants?: readonly string[];
  };
}

/** The settings of a configuration: of a harness as it is now, or as a record has it. */
export function settingsIn(config: unknown): ReplaySettings {
  const { defaults = {}, policy = {} } = (config ?? {}) as Configured;
  return {
    guards: defaults.guards ?? {},
    deny: policy.deny ?? [],
    requireApproval: policy.requireApproval ?? [],
    grants: policy.grants ?? [],
    maxToolCalls: defaults.budget?.maxToolCalls,
    maxCallsPerTool: defaults.budget?.maxCallsPerTool ?? {},
  };
}

/** Settings as a replay takes them. Where they are those that the run had, what it decided stands. */
export function replayOf(
  after: ReplaySettings,
  before: ReplaySettings,
): Omit<GuardReplay, "tools" | "hooks"> {
  const { deny, requireApproval, grants, maxToolCalls } = after;
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
    ...(maxToolCalls === before.maxToolCalls || maxToolCalls === undefined ? {} : { maxToolCalls }),
    maxCallsPerTool: Object.fromEntries([
      ...limits,
      ...lifted.map((tool) => [tool, Number.POSITIVE_INFINITY] as const),
    ]),
  };
}

const sameList = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((name) => right.includes(name));
