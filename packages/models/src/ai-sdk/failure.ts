import { ModelLimitError } from "@agentpool/core";
import { APICallError } from "@ai-sdk/provider";

/**
 * What a failed request means to a pool: a {@link ModelLimitError} where waiting helps (429, 503, 529, and the same
 * said inside a stream), else an error whose message names model, status and the provider's words.
 */
export function failureOf(error: unknown, model: string, now: () => number = Date.now): Error {
  const failed = APICallError.isInstance(error) ? error : undefined;
  const said = saidIn(failed === undefined ? error : (failed.data ?? parsed(failed.responseBody)));
  const words = failed?.message || said.message || (error instanceof Error ? error.message : text(error));
  const status = failed?.statusCode === undefined ? "" : `${failed.statusCode} `;
  const message = `${model}: ${status}${words.slice(0, 500) || "failed without saying why"}`;
  if (isLimit(failed?.statusCode, said)) {
    const retryAfterMs = retryAfterIn(failed?.responseHeaders ?? {}, now) ?? said.retryAfterMs;
    return new ModelLimitError(message, retryAfterMs, { cause: error });
  }
  return new Error(message, { cause: error });
}

/** Milliseconds to wait as the headers say: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function retryAfterIn(
  headers: { readonly [name: string]: string | undefined },
  now: () => number,
): number | undefined {
  const header = (name: string) =>
    Object.entries(headers)
      .find(([key]) => key.toLowerCase() === name)?.[1]
      ?.trim() || undefined;
  const ms = Number(header("retry-after-ms") ?? Number.NaN);
  if (ms >= 0) return ms;
  const after = header("retry-after");
  if (after === undefined) return undefined;
  const seconds = Number(after);
  if (!Number.isNaN(seconds)) return seconds >= 0 ? seconds * 1_000 : undefined;
  const at = Date.parse(after);
  if (Number.isNaN(at)) return undefined;
  // Against the server's own clock, where it sends it.
  const sent = Date.parse(header("date") ?? "");
  return Math.max(0, at - (Number.isNaN(sent) ? now() : sent));
}

/** What a provider's error object says, in any of the shapes in use. */
interface Said {
  readonly message?: string;
  readonly kinds?: readonly string[];
  readonly retryAfterMs?: number;
}

/** Words by which providers call a limit in a body or inside a stream. */
const limits = new Set([
  "overloaded_error",
  "rate_limit_error",
  "rate_limit_exceeded",
  "too_many_requests",
  "UNAVAILABLE",
  "RESOURCE_EXHAUSTED",
]);

/** Said with the status of a rate limit, and yet no waiting helps. */
const exhausted = new Set(["insufficient_quota", "billing_hard_limit_reached"]);

function isLimit(status: number | undefined, { kinds = [] }: Said): boolean {
  if (kinds.some((kind) => exhausted.has(kind))) return false;
  return status === 429 || status === 503 || status === 529 || kinds.some((kind) => limits.has(kind));
}

function saidIn(value: unknown): Said {
  if (typeof value !== "object" || value === null) return {};
  const body = value as { readonly [key: string]: unknown };
  if (typeof body.error === "object" && body.error !== null) return saidIn(body.error);
  const kinds = [body.type, body.code, body.status].filter((kind) => typeof kind === "string");
  const message = typeof body.message === "string" ? body.message : undefined;
  const retryAfterMs = retryDelayIn(body.details);
  return { message, kinds, retryAfterMs };
}

/** Google says how long to wait in the body: `{ retryDelay: "34.07s" }` among the details. */
function retryDelayIn(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  for (const detail of details) {
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(String(detail?.retryDelay ?? ""))?.[1];
    if (seconds !== undefined) return Number(seconds) * 1_000;
  }
  return undefined;
}

function parsed(body: string | undefined): unknown {
  try {
    return body === undefined ? undefined : JSON.parse(body);
  } catch {
    return undefined;
  }
}

function text(error: unknown): string {
  if (typeof error === "string") return error;
  try {
    return JSON.stringify(error) ?? String(error);
  } catch {
    return String(error);
  }
}
