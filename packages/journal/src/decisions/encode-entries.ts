import type { StoredEntry } from "../values/entry.ts";
import { LARGE, withLargeTexts, withoutLargeTexts } from "./large-texts.ts";
import type { RedactSecrets } from "./redact-secrets.ts";

/** Happens too often and says nothing that a record needs: what came of it does. */
const PASSING = new Set<string>(["turn:delta", "agent:state", "call:progress"]);

/** Whether an entry is kept. */
export const isKept = (entry: StoredEntry): boolean => !PASSING.has(entry.type);

/** Entries as they are kept: without secrets, and as JSON whose large texts are elsewhere. */
export interface Kept {
  readonly entries: readonly StoredEntry[];
  readonly bodies: readonly string[];
}

/** Takes out secrets, and puts large texts into `texts` by digest. */
export function encodeEntries(
  entries: readonly StoredEntry[],
  redact: RedactSecrets,
  texts: Map<string, string>,
): Kept {
  const raw = entries.map((entry) => JSON.stringify(entry));
  const all = raw.join("\n");
  // looked through together, since hardly any holds a secret
  const clean = redact(all) === all ? raw : raw.map(redact);
  const kept = clean.map((body, at) => (body === raw[at] ? entries[at]! : (JSON.parse(body) as StoredEntry)));
  const bodies = clean.map((body, at) =>
    body.length < LARGE ? body : JSON.stringify(withoutLargeTexts(kept[at], texts)),
  );
  return { entries: kept, bodies };
}

/** The entries of a portion, in order. */
export const decodeEntries = (body: string, textOf: (digest: string) => string): StoredEntry[] =>
  (JSON.parse(body) as unknown[]).map((entry) => withLargeTexts(entry, textOf) as StoredEntry);

/** A value of a `json` column. */
export function encodeJson(value: unknown, texts: Map<string, string>): string | null {
  if (value === null || value === undefined) return null;
  const whole = JSON.stringify(value);
  if (whole === undefined) return null;
  return whole.length < LARGE ? whole : JSON.stringify(withoutLargeTexts(value, texts));
}

/** A value of a `json` column, read back. */
export const decodeJson = (text: string | null, textOf: (digest: string) => string): unknown =>
  text === null ? null : withLargeTexts(JSON.parse(text), textOf);
