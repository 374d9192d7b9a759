/** What an error says, whatever was thrown: a hostile one must not break what reports it. */
export function reasonOf(error: unknown): string {
  try {
    if (error instanceof Error) return String(error.message) || String(error.name);
    return String(error);
  } catch {
    return "an error that cannot be shown";
  }
}

/** Whatever was thrown as an error that can be handed on: itself, where it is one that can be read. */
export function asError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error && typeof thrown.message === "string") return thrown;
  } catch {}
  return new Error(reasonOf(thrown));
}
