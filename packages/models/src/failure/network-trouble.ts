import { InvalidResponseDataError, JSONParseError, TypeValidationError } from "@ai-sdk/provider";

/**
 * What an error without a status is about: a connection that could not be made, one that broke, a body that is no
 * answer, or something else.
 */
export function networkTroubleIn(error: unknown): "unreachable" | "interrupted" | "rejected" {
  let at: unknown = error;
  // The reason is at the end of the chain of causes, whose length nobody guarantees.
  for (let depth = 0; depth < 8 && typeof at === "object" && at !== null; depth++) {
    const { code, message, name, cause } = at as { readonly [key: string]: unknown };
    if (typeof code === "string") {
      if (unreachable.has(code)) return "unreachable";
      if (broken.has(code) || code.startsWith("UND_ERR_")) return "interrupted";
    }
    if (typeof message === "string" && brokenWords.test(message)) return "interrupted";
    if (name === "AbortError" || name === "TimeoutError" || isUnreadable(at)) return "interrupted";
    // Several addresses of one host were tried.
    at = cause ?? (at as { readonly errors?: readonly unknown[] }).errors?.[0];
  }
  return "rejected";
}

const unreachable = new Set(["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ENETUNREACH"]);
const broken = new Set([
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "ERR_STREAM_PREMATURE_CLOSE",
]);
const brokenWords =
  /^(terminated|fetch failed|failed to fetch|network error|socket hang up)$|premature close/i;

/** A body that was cut, or that a proxy answered with something of its own. */
const isUnreadable = (error: unknown): boolean =>
  JSONParseError.isInstance(error) ||
  TypeValidationError.isInstance(error) ||
  InvalidResponseDataError.isInstance(error);
