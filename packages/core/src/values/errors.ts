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

/**
 * Why an answer was not taken: nothing such is asked; it was answered before; results that belong to it are missing;
 * it is no JSON.
 */
export type AnswerProblem = "unknown" | "answered" | "incomplete" | "malformed";

/** An approval or a client's result that cannot be taken. Nothing was changed. */
export class AnswerError extends Error {
  override readonly name = "AnswerError";
  readonly problem: AnswerProblem;
  constructor(problem: AnswerProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** The run could not be put on record: it was ended, since what is not on record must not execute. */
export class JournalError extends Error {
  override readonly name = "JournalError";
}

/**
 * A run cannot be taken up: the harness is not the one on record. The message names what differs. `Journal.force`
 * takes it up all the same.
 */
export class ResumeError extends Error {
  override readonly name = "ResumeError";
}
