import type { KeyedGuard } from "../values/guard.ts";
import type { Args } from "../values/json.ts";

export interface DedupOptions {
  /** What the model reads. Say what to do instead. */
  readonly message?: string;
  readonly tools?: readonly string[];
  readonly onError?: "refuse" | "proceed";
}

/**
 * A guard against repeating what was already read, answered from an index in constant time.
 *
 * `key` names what must not be repeated: a string, or JSON that is compared canonically (key order and white space
 * don't matter). Undefined, null or empty: this call can't be keyed, is never blocked, and blocks nobody.
 *
 * ```ts
 * const urlDedup = dedup("url_dedup", (args) => canonicalUrl(args.url, { query: "sorted" }));
 * ```
 */
export function dedup(name: string, key: (args: Args) => unknown, options: DedupOptions = {}): KeyedGuard {
  return {
    ...options,
    name,
    key,
    message:
      options.message ??
      "You have this result already: it was read before. Use it, or ask for something else.",
  };
}
