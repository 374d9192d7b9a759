/** The library's own timers are not used: calls have deadlines here, and a start has one. */
export const FOREVER = 2 ** 31 - 1;

/**
 * Asks with a signal that aborts only while the answer is awaited: one that aborts later would have the server told
 * that an answered request is cancelled.
 */
export async function whilePending<T>(
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const own = new AbortController();
  const abort = () => own.abort("the call was ended");
  signal.addEventListener("abort", abort);
  try {
    return await ask(own.signal);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
