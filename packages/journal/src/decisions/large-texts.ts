import { createHash } from "node:crypto";

/** Texts of this many characters or more are stored once each, by digest; and so are results, by their JSON. */
export const LARGE = 1_024;

/** A part of a value that is stored elsewhere: SHA-256 of its text, in hexadecimal. */
export const REFERENCE = "$text";
/** Marks an object that happens to look like a reference. */
const LITERAL = "$literal";

/** What is stored elsewhere, by digest: texts, and JSON of whole results. */
export type LargeParts = Map<string, unknown>;

/** Puts large texts into `parts`, by digest, and gives the value with references in their place. */
export function withoutLargeTexts(value: unknown, parts: LargeParts): unknown {
  if (typeof value === "string") return value.length < LARGE ? value : stored(value, value, parts);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutLargeTexts(item, parts));
  const copy: [string, unknown][] = [];
  for (const [name, part] of Object.entries(value)) copy.push([name, withoutLargeTexts(part, parts)]);
  const inner = Object.fromEntries(copy);
  return looksLikeOurs(value) ? { [LITERAL]: inner } : inner;
}

/**
 * The same for what a call came to: many short texts, as the hits of a search, are as large as one long one, and are
 * stored as one.
 */
export function withoutLargeResult(value: unknown, parts: LargeParts): unknown {
  const rest = withoutLargeTexts(value, parts);
  if (typeof rest !== "object" || rest === null) return rest;
  const json = JSON.stringify(rest);
  // not the digest of a text that happens to be that JSON
  return json.length < LARGE ? rest : stored(`json ${json}`, rest, parts);
}

function stored(text: string, value: unknown, parts: LargeParts): unknown {
  const digest = createHash("sha256").update(text).digest("hex");
  parts.set(digest, value);
  return { [REFERENCE]: digest };
}

/** The value with its large parts in their places again. `partOf` throws for a digest that is not there. */
export function withLargeTexts(value: unknown, partOf: (digest: string) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withLargeTexts(item, partOf));
  if (looksLikeOurs(value)) {
    const { [REFERENCE]: digest, [LITERAL]: literal } = value as Record<string, unknown>;
    return typeof digest === "string"
      ? withLargeTexts(partOf(digest), partOf)
      : within(literal as object, partOf);
  }
  return within(value, partOf);
}

const within = (value: object, partOf: (digest: string) => unknown): unknown =>
  Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withLargeTexts(part, partOf)]));

const looksLikeOurs = (value: object): boolean => {
  const names = Object.keys(value);
  return names.length === 1 && (names[0] === REFERENCE || names[0] === LITERAL);
};
