/** Text as it is compared: trimmed, runs of white space as one space, Unicode in composed form. */
export const canonicalText = (text: string): string =>
  CANONICAL.test(text) ? text : text.normalize("NFC").trim().replace(/\s+/g, " ");

/** Most text is in this form already: words of ASCII with one space between them. */
const CANONICAL = /^(?:[!-~]+(?: [!-~]+)*)?$/;

/**
 * A value as it is compared: keys sorted, strings as {@link canonicalText}, absent and undefined the same.
 * Two values are equal exactly when their canonical JSON is.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? "null";
}

function sorted(value: unknown): unknown {
  if (typeof value === "string") return canonicalText(value);
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  const plain =
    typeof (value as { toJSON?: unknown }).toJSON === "function" ? JSON.parse(JSON.stringify(value)) : value;
  if (typeof plain !== "object" || plain === null) return sorted(plain);
  const keys = Object.keys(plain);
  if (keys.length > 1) keys.sort();
  return Object.fromEntries(keys.map((key) => [key, sorted((plain as Record<string, unknown>)[key])]));
}

/**
 * A URL as it is compared ([RFC 3986 §6](https://www.rfc-editor.org/rfc/rfc3986#section-6)): host and scheme in
 * lower case, no default port, no fragment, no trailing slash, no escape that is not needed. `query: "sorted"` also ignores the order of query
 * parameters. Undefined where there is no URL in it.
 */
export function canonicalUrl(
  raw: unknown,
  options: { readonly query?: "ordered" | "sorted" } = {},
): string | undefined {
  if (typeof raw !== "string" || raw.trim() === "") return undefined;
  const text = raw.trim();
  const url = parseUrl(text) ?? (text.includes("://") ? undefined : parseUrl(`https://${text}`));
  if (!url) return undefined;
  url.hash = "";
  if (options.query === "sorted") url.searchParams.sort();
  url.pathname = canonicalEscapes(url.pathname).replace(/\/+$/, "");
  url.search = canonicalEscapes(url.search);
  const { href } = url;
  return url.pathname === "/" && url.search === "" ? href.replace(/\/$/, "") : href;
}

/** Escapes in upper case, and none where none is needed: RFC 3986 §6.2.2. */
const canonicalEscapes = (part: string): string =>
  part.replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const char = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(char) ? char : escaped.toUpperCase();
  });

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/**
 * What a key function returned, as the string it is compared by. Undefined, null, the empty string and an empty
 * object or array cannot be keyed.
 */
export function canonicalKey(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return canonicalText(value) || undefined;
  if (typeof value === "object" && typeof (value as { then?: unknown }).then === "function") {
    Promise.resolve(value).catch(() => {}); // nobody waits for it: its rejection is not to end the process
    throw new TypeError("a key must be computed at once, not promised");
  }
  const text = canonicalJson(value);
  return text === "{}" || text === "[]" || text === "null" ? undefined : text;
}
