import type { StoredEntry } from "../values/entry.ts";
import {
  LARGE,
  type LargeParts,
  withLargeTexts,
  withoutLargeResult,
  withoutLargeTexts,
} from "./large-texts.ts";
import type { RedactSecrets } from "./redact-secrets.ts";

/** Happens too often and says nothing that a record needs: what came of it does. */
const PASSING = new Set<string>(["turn:delta", "agent:state", "call:progress"]);

/** Whether an entry is kept. */
export const isKept = (entry: StoredEntry): boolean => !PASSING.has(entry.type);

/** Entries as they are kept: without secrets, and as JSON whose large texts are elsewhere. */
export interface Kept {
  readonly entries: readonly StoredEntry[];
  /** All of them, as an array. */
  readonly body: string;
}

/** Takes out secrets, and puts what is large into `texts` by digest. */
export function encodeEntries(
  entries: readonly StoredEntry[],
  redact: RedactSecrets,
  texts: LargeParts,
): Kept {
  const raw = entries.map((entry) => JSON.stringify(entry));
  const all = arrayOf(raw);
  // looked through together, since hardly any holds a secret
  const isClean = redact(all) === all;
  if (isClean && raw.every(({ length }) => length < LARGE)) return { entries, body: all };
  const clean = isClean ? raw : raw.map(redact);
  const kept = clean.map((body, at) => (body === raw[at] ? entries[at]! : (JSON.parse(body) as StoredEntry)));
  const bodies = clean.map((body, at) =>
    body.length < LARGE ? body : JSON.stringify(withoutLarge(kept[at]!, texts)),
  );
  return { entries: kept, body: arrayOf(bodies) };
}

/** What a call came to is large as a whole, anything else by its texts. */
function withoutLarge(entry: StoredEntry, texts: LargeParts): unknown {
  switch (entry.type) {
    case "call:settled":
    case "record:executed":
      if (entry.outcome.type === "ok") {
        const { value, ...outcome } = entry.outcome;
        const rest = withoutLargeTexts({ ...entry, outcome }, texts) as { outcome: object };
        return { ...rest, outcome: { ...rest.outcome, value: withoutLargeResult(value, texts) } };
      }
      break;
    case "call:substituted": {
      const { value, ...rest } = entry;
      return { ...(withoutLargeTexts(rest, texts) as object), value: withoutLargeResult(value, texts) };
    }
  }
  return withoutLargeTexts(entry, texts);
}

const arrayOf = (bodies: readonly string[]): string => `[${bodies.join(",")}]`;

/** The entries of a portion, in order. */
export const decodeEntries = (body: string, textOf: (digest: string) => unknown): StoredEntry[] =>
  (JSON.parse(body) as unknown[]).map((entry) => withLargeTexts(entry, textOf) as StoredEntry);

/** A value of a `json` column. */
export function encodeJson(value: unknown, texts: LargeParts): string | null {
  if (value === null || value === undefined) return null;
  const whole = JSON.stringify(value);
  if (whole === undefined) return null;
  return whole.length < LARGE ? whole : JSON.stringify(withoutLargeTexts(value, texts));
}

/** A value of a `result` column. */
export function encodeResult(value: unknown, texts: LargeParts): string | null {
  if (value === null || value === undefined) return null;
  const whole = JSON.stringify(value);
  if (whole === undefined) return null;
  return whole.length < LARGE ? whole : JSON.stringify(withoutLargeResult(value, texts));
}

/** A value of a `json` or `result` column, read back. */
export const decodeJson = (text: string | null, textOf: (digest: string) => unknown): unknown =>
  text === null ? null : withLargeTexts(JSON.parse(text), textOf);
