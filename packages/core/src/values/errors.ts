/**
 * Options that cannot be used: the message names the place, what was found and what is accepted.
 * Thrown before anything runs.
 */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** A hook, or a tool's executions together, took longer than allowed. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
  /** Milliseconds it was allowed. */
  readonly ms: number;
  constructor(ms: number) {
    super(`took longer than its ${ms} ms`);
    this.ms = ms;
  }
}

/** An approval or a client's result for something that was not asked, or was answered before. Nothing was changed. */
export class AnswerError extends Error {
  override readonly name = "AnswerError";
  readonly problem: "unknown" | "answered" | "incomplete";
  constructor(problem: "unknown" | "answered" | "incomplete", message: string) {
    super(message);
    this.problem = problem;
  }
}
