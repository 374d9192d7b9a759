/** A model file that could not be fetched. Its message says what to do. */
export class PullError extends Error {
  override readonly name = "PullError";
}
