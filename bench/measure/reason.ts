/** Why something could not be measured, in a line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ((error as { code?: unknown }).code === "ERR_MODULE_NOT_FOUND") {
    const missing = /Cannot find package '([^']+)'/.exec(error.message);
    if (missing) return `${missing[1]} is not installed`;
  }
  return error.message.split("\n")[0] || error.name;
}
