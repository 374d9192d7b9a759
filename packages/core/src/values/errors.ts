/**
 * Options that cannot be used: the message names the place, what was found and what is accepted.
 * Thrown before anything runs.
 */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** A tool's executions together took longer than its `timeoutMs`. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
  constructor(ms: number) {
    super(`took longer than its ${ms} ms`);
  }
}
