import type { StoredEntry } from "../values/entry.ts";
import { LARGE, withLargeTexts, withoutLargeTexts } from "./large-texts.ts";
import type { RedactSecrets } from "./redact-secrets.ts";

/** Happens too often and says nothing that a record needs: what came of it does. */
const PASSING = new Set<string>(["turn:delta", "agent:state", "call:progress"]);

/** Whether an entry is kept. */
export const isKept = (entry: StoredEntry): boolean => !PASSING.has(entry.type);

/** An entry as it is kept: without secrets. */
export interface Kept {
  readonly entry: StoredEntry;
  /** JSON, its large texts in `texts`. */
  readonly body: string;
}

/** Takes out secrets, and puts large texts into `texts` by digest. */
export function encodeEntry(entry: StoredEntry, redact: RedactSecrets, texts: Map<string, string>): Kept {
  const whole = JSON.stringify(entry);
  const body = redact(whole);
  const kept = body === whole ? entry : (JSON.parse(body) as StoredEntry);
  if (body.length < LARGE) return { entry: kept, body };
  return { entry: kept, body: JSON.stringify(withoutLargeTexts(kept, texts)) };
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
