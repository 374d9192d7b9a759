import { createHmac, randomBytes } from "node:crypto";

/** Of this process alone. A plain digest would let who reads it guess at values that are hidden from the model. */
const KEY = randomBytes(32);

/**
 * A value as data inside of a prompt. It is JSON, so that no text in it begins a line or a tag; and the fence around
 * it is named after a digest of what it holds that nobody else can make, so that nothing inside can close it.
 */
export function fence(name: string, value: unknown): string {
  const data = asData(value);
  const id = createHmac("sha256", KEY).update(data).digest("hex").slice(0, 16);
  return `<data ${name} ${id}>\n${data}\n</data ${name} ${id}>`;
}

/** JSON in which no angle bracket, no line break and no control character is left as it is. */
const asData = (value: unknown): string =>
  (JSON.stringify(value, plain) ?? "null").replace(
    /[<>\u007f-\u009f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** What JSON has no form for is named instead of lost. */
const plain = (_key: string, value: unknown): unknown => (typeof value === "bigint" ? `${value}` : value);
