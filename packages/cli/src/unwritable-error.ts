/** A file that cannot be written where it was asked for. */
export class UnwritableError extends Error {
  override readonly name = "UnwritableError";
}
