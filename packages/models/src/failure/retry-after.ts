export interface Headers {
  readonly [name: string]: string | undefined;
}

/** Milliseconds to wait as the headers say: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function retryAfterIn(headers: Headers, now: () => number = Date.now): number | undefined {
  const header = (name: string) =>
    Object.entries(headers)
      .find(([key]) => key.toLowerCase() === name)?.[1]
      ?.trim() || undefined;
  const ms = Number(header("retry-after-ms") ?? Number.NaN);
  if (ms >= 0) return bounded(ms);
  const after = header("retry-after");
  if (after === undefined) return undefined;
  const seconds = Number(after);
  if (!Number.isNaN(seconds)) return seconds >= 0 ? bounded(seconds * 1_000) : undefined;
  const at = Date.parse(after);
  if (Number.isNaN(at)) return undefined;
  // Against the server's own clock, where it sends it.
  const sent = Date.parse(header("date") ?? "");
  return bounded(Math.max(0, at - (Number.isNaN(sent) ? now() : sent)));
}

/** Google says how long to wait in the body: `{ retryDelay: "34.07s" }` among the details. */
export function retryDelayIn(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  for (const detail of details) {
    const seconds = /^(\d{1,9}(?:\.\d+)?)s$/.exec(String(detail?.retryDelay ?? ""))?.[1];
    if (seconds !== undefined) return bounded(Number(seconds) * 1_000);
  }
  return undefined;
}

/** Nobody is asked to wait longer than a day: a server that says so means something else. */
const bounded = (ms: number): number => Math.min(ms, 86_400_000);
