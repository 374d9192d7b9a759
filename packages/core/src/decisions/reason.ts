/** What an error says, whatever was thrown: a hostile one must not break what reports it. */
export function reasonOf(error: unknown): string {
  try {
    if (error instanceof Error) return String(error.message) || String(error.name);
    return String(error);
  } catch {
    return "an error that cannot be shown";
  }
}
