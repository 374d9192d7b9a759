/** Limits of agents and runs. A pool takes a {@link Budget}; what it leaves out has the default. */
export interface Budget {
  /** Generations per agent; the forced report is one beyond. Default 10. */
  readonly maxTurns: number;
  /** Calls that execute, per agent. Default 50. */
  readonly maxToolCalls: number;
  /** Calls that execute, per agent and tool name. Default: none. */
  readonly maxCallsPerTool: { readonly [tool: string]: number };
  /** Parked retries per call. Default 1. */
  readonly maxToolRetries: number;
  /** Parked retries per run. Default 20. */
  readonly runRetries: number;
  /** Tool bodies executing at once in the run. Default 8. */
  readonly concurrentTools: number;
  /** Generations at once in the run. Default 8. */
  readonly concurrentGenerations: number;
  /** Tokens of the run, input and output. Default: no limit. */
  readonly maxTokens?: number;
  /** US dollars of the run, by the models' prices. Default: no limit. */
  readonly maxCost?: number;
  /**
   * Milliseconds of the run: past `soft` it winds down, past `hard` every agent is ended. Default: no limit.
   */
  readonly wallClock?: { readonly soft?: number; readonly hard?: number };
  /**
   * Shares of the model's window: an agent past `soft` is told to come to an end, one past `hard` has to report.
   * Default 0.75 and 0.9.
   */
  readonly context: { readonly soft: number; readonly hard: number };
  /** Agents in the run. Default 1,000. */
  readonly maxAgents: number;
  /** Pools nested in pools. Default 3. */
  readonly maxDepth: number;
}

/** A budget with what differs from the default. */
export type PartialBudget = Partial<Omit<Budget, "context">> & {
  readonly context?: Partial<Budget["context"]>;
};

export function withDefaults(budget: PartialBudget | undefined, base: Budget = defaultBudget): Budget {
  const hard = budget?.context?.hard ?? base.context.hard;
  const soft = budget?.context?.soft ?? Math.min(base.context.soft, hard);
  const given = Object.entries(budget ?? {}).filter(([, value]) => value !== undefined);
  return { ...base, ...Object.fromEntries(given), context: { soft, hard } };
}

export const defaultBudget: Budget = {
  maxTurns: 10,
  maxToolCalls: 50,
  maxCallsPerTool: {},
  maxToolRetries: 1,
  runRetries: 20,
  concurrentTools: 8,
  concurrentGenerations: 8,
  context: { soft: 0.75, hard: 0.9 },
  maxAgents: 1_000,
  maxDepth: 3,
};
