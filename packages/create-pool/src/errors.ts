/** The command was called in a way that it cannot follow. The message says what it takes. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The questions were left unanswered, on purpose: nothing was written. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}
