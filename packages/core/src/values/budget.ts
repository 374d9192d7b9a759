/** Limits of agents and runs. A pool takes a {@link Budget}; what it leaves out has the default. */
export interface Budget {
  /** Generations per agent; the forced report is one beyond. Default 10. */
  readonly maxTurns: number;
  /** Calls that execute, per agent. Default 50. */
  readonly maxToolCalls: number;
  /** Parked retries per call. Default 1. */
  readonly maxToolRetries: number;
  /** Parked retries per run. Default 20. */
  readonly runRetries: number;
  /** Tool bodies executing at once in the run. Default 8. */
  readonly concurrentTools: number;
  /** Generations at once in the run. Default 8. */
  readonly concurrentGenerations: number;
  /** Share of the model's window an agent may fill before it has to report. Default 0.9. */
  readonly context: { readonly hard: number };
  /** Agents in the run. Default 1,000. */
  readonly maxAgents: number;
  /** Pools nested in pools. Default 3. */
  readonly maxDepth: number;
}

export const defaultBudget: Budget = {
  maxTurns: 10,
  maxToolCalls: 50,
  maxToolRetries: 1,
  runRetries: 20,
  concurrentTools: 8,
  concurrentGenerations: 8,
  context: { hard: 0.9 },
  maxAgents: 1_000,
  maxDepth: 3,
};
