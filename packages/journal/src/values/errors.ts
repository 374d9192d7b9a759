/**
 * What is wrong with a store: its URL; a place that cannot be written; a file that is no database or is damaged; one
 * that a newer version has written; a server that does not answer; a failed read or write.
 */
export type StoreProblem = "url" | "unwritable" | "damaged" | "newer" | "unreachable" | "failed";

/** A store that cannot be opened, read or written. The message says what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly problem: StoreProblem;
  constructor(problem: StoreProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}

/** Another live process has the run, or has taken it from this one. Nothing more is written to it from here. */
export class LeaseError extends Error {
  override readonly name = "LeaseError";
  readonly run: string;
  /** Who has it, as far as is known: a host and a process id. */
  readonly holder: string | undefined;
  constructor(run: string, message: string, holder?: string) {
    super(message);
    this.run = run;
    this.holder = holder;
  }
}

/** A run that is not on record, or an abbreviation that several runs share. */
export class UnknownRunError extends Error {
  override readonly name = "UnknownRunError";
}

/** A decision that cannot be taken: there is no such approval, it was decided before, or its call is gone. */
export class DecisionError extends Error {
  override readonly name = "DecisionError";
  readonly problem: "unknown" | "decided" | "void";
  constructor(problem: DecisionError["problem"], message: string) {
    super(message);
    this.problem = problem;
  }
}

/** A point of a run that no other can go on from: it is not on record. */
export class ForkError extends Error {
  override readonly name = "ForkError";
}
