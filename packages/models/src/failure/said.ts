import { retryDelayIn } from "./retry-after.ts";

/** What a provider's error object says, in any of the shapes in use. */
export interface Said {
  readonly message?: string;
  /** Its words for what went wrong: `type`, `code` and `status`, and Google's reasons among the details. */
  readonly kinds: readonly string[];
  /** A status code that stands in the body. */
  readonly status?: number;
  readonly retryAfterMs?: number;
}

export function saidIn(value: unknown): Said {
  let body = recordOf(value);
  // Wrapped in `error`, sometimes more than once; and Google wraps it in a list.
  for (let depth = 0; depth < 4; depth++) {
    const inner = recordOf(body.error ?? (Array.isArray(value) ? recordOf(value[0]).error : undefined));
    if (Object.keys(inner).length === 0) break;
    body = inner;
  }
  const words = [body.type, body.code, body.status];
  const numbers = words.map(Number).filter((status) => status >= 100 && status < 600);
  return {
    message: typeof body.message === "string" ? body.message : undefined,
    kinds: [...words, ...reasonsIn(body.details)].filter((word) => typeof word === "string"),
    status: numbers[0],
    retryAfterMs: retryDelayIn(body.details),
  };
}

const reasonsIn = (details: unknown): unknown[] =>
  Array.isArray(details) ? details.map((detail) => recordOf(detail).reason) : [];

/** A response's body, where it is JSON. */
export function parsed(body: string | undefined): unknown {
  try {
    return body === undefined ? undefined : JSON.parse(body);
  } catch {
    return undefined;
  }
}

const recordOf = (value: unknown): { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null ? (value as { [key: string]: unknown }) : {};
