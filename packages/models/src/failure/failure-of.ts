import { GenerationError, type LimitReason, ModelLimitError } from "@agentpool/core";
import { APICallError } from "@ai-sdk/provider";
import { type FailureKind, InterruptedError, ModelError } from "./model-failure.ts";
import { networkTroubleIn } from "./network-trouble.ts";
import { retryAfterIn } from "./retry-after.ts";
import { parsed, type Said, saidIn } from "./said.ts";

/**
 * What a failed request means: a {@link ModelLimitError} where the provider asks to wait, with its reason, an
 * {@link InterruptedError} where asking again may help, else a {@link ModelError}. Its message names model, status and
 * the provider's words.
 */
export function failureOf(error: unknown, model: string): Error {
  if (error instanceof GenerationError) return error;
  const failed = APICallError.isInstance(error) ? error : undefined;
  const said = saidIn(failed === undefined ? error : (failed.data ?? parsed(failed.responseBody)));
  const code = failed?.statusCode;
  const status = code ?? said.status;
  const words = failed?.message || said.message || (error instanceof Error ? error.message : text(error));
  const kind = kindOf(status, said, error);
  const message = `${model}: ${code !== undefined && code >= 400 ? `${code} ` : ""}${words.slice(0, 500) || "failed without saying why"}${advice[kind] ?? ""}`;
  const options = { cause: error };
  const retryAfterMs = retryAfterIn(failed?.responseHeaders ?? {}) ?? said.retryAfterMs;
  if (kind === "limited")
    return new ModelLimitError(message, retryAfterMs, { ...options, reason: reasonFor(status, said) });
  if (kind === "interrupted") return new InterruptedError(message, retryAfterMs, options);
  return new ModelError(kind, message, options);
}

const advice: { readonly [kind in FailureKind]?: string } = {
  unreachable: "; is it running there?",
};

function kindOf(
  status: number | undefined,
  { kinds, message = "" }: Said,
  error: unknown,
): Exclude<FailureKind, "misformed"> {
  const says = (words: ReadonlySet<string>) => kinds.some((kind) => words.has(kind));
  if (says(exhausted) || status === 402 || outOfMoney.test(message)) return "spent";
  if (status === 429 || overload.has(status ?? 0) || says(limits) || says(loads)) return "limited";
  if (status === 401 || status === 403 || says(refusals)) return "unauthorised";
  if (status === 404 || says(absences)) return "missing";
  // An answer that began well and cannot be read was cut, or is somebody else's.
  if (says(troubles) || (status !== undefined && status < 400)) return "interrupted";
  if (status === undefined) return networkTroubleIn(error);
  return status >= 500 || transient.has(status) ? "interrupted" : "rejected";
}

/** Whether somebody asked too often, or the provider has too much to do whoever asks. */
const reasonFor = (status: number | undefined, { kinds }: Said): LimitReason =>
  kinds.some((kind) => loads.has(kind)) ||
  (overload.has(status ?? 0) && !kinds.some((kind) => limits.has(kind)))
    ? "overloaded"
    : "rate_limit";

/** Service unavailable, and what Anthropic answers when it has too much to do. */
const overload = new Set([503, 529]);

/** Words by which providers call a limit in a body or inside a stream. */
const limits = new Set([
  "rate_limit_error",
  "rate_limit_exceeded",
  "too_many_requests",
  "RESOURCE_EXHAUSTED",
]);

/** And too much to do. */
const loads = new Set(["overloaded_error", "UNAVAILABLE"]);

/** Said with the status of a rate limit, and yet no waiting helps. */
const exhausted = new Set(["insufficient_quota", "billing_hard_limit_reached", "billing_error"]);

/** Anthropic calls that a wrong request. */
const outOfMoney = /credit balance is too low/i;

/** Google says that a key is invalid as a wrong request. */
const refusals = new Set([
  "authentication_error",
  "permission_error",
  "invalid_api_key",
  "UNAUTHENTICATED",
  "API_KEY_INVALID",
]);
const absences = new Set(["not_found_error", "model_not_found"]);

/** Trouble of the server's own, said inside a stream. */
const troubles = new Set(["api_error", "server_error", "internal_error", "timeout_error", "INTERNAL"]);

/** Request timeout, conflict with another request, too early. */
const transient = new Set([408, 409, 425]);

function text(error: unknown): string {
  if (typeof error === "string") return error;
  try {
    return JSON.stringify(error) ?? String(error);
  } catch {
    return String(error);
  }
}
