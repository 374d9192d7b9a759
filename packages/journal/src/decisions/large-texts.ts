import { createHash } from "node:crypto";

/** Texts of this many characters or more are stored once each, by digest. */
export const LARGE = 1_024;

/** A part of a value that is stored elsewhere: SHA-256 of its text, in hexadecimal. */
export const REFERENCE = "$text";
/** Marks an object that happens to look like a reference. */
const LITERAL = "$literal";

/** Puts large texts into `texts`, by digest, and gives the value with references in their place. */
export function withoutLargeTexts(value: unknown, texts: Map<string, string>): unknown {
  if (typeof value === "string") {
    if (value.length < LARGE) return value;
    const digest = createHash("sha256").update(value).digest("hex");
    texts.set(digest, value);
    return { [REFERENCE]: digest };
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutLargeTexts(item, texts));
  const copy: [string, unknown][] = [];
  for (const [name, part] of Object.entries(value)) copy.push([name, withoutLargeTexts(part, texts)]);
  const inner = Object.fromEntries(copy);
  return looksLikeOurs(value) ? { [LITERAL]: inner } : inner;
}

/** The value with its large texts in their places again. `textOf` throws for a digest that is not there. */
export function withLargeTexts(value: unknown, textOf: (digest: string) => string): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withLargeTexts(item, textOf));
  if (looksLikeOurs(value)) {
    const { [REFERENCE]: digest, [LITERAL]: literal } = value as Record<string, unknown>;
    return typeof digest === "string" ? textOf(digest) : parts(literal as object, textOf);
  }
  return parts(value, textOf);
}

const parts = (value: object, textOf: (digest: string) => string): unknown =>
  Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withLargeTexts(part, textOf)]));

const looksLikeOurs = (value: object): boolean => {
  const names = Object.keys(value);
  return names.length === 1 && (names[0] === REFERENCE || names[0] === LITERAL);
};
