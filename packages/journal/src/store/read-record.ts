import { decodeEntries } from "../decisions/encode-entries.ts";
import type { Reader } from "../engine/engine.ts";
import type { StoredEntry } from "../values/entry.ts";
import { StoreError } from "../values/errors.ts";

/** Everything on record of a run, in order. Empty for a run that is not there. */
export async function readRecord(reader: Reader, run: string): Promise<StoredEntry[]> {
  const textOf = await textsOf(reader, run);
  const portions = await reader.all("select first, count, body from entries where run = ? order by first", [
    run,
  ]);
  const entries: StoredEntry[] = [];
  for (const { first, body } of portions) {
    if (Number(first) !== entries.length)
      throw new StoreError(
        "damaged",
        `the record of run ${run} has a gap before entry ${first}: it cannot be read further.`,
      );
    for (const entry of decodeEntries(String(body), textOf)) entries.push(entry);
  }
  return entries;
}

/** The large texts and results of a run, by digest. */
export async function textsOf(reader: Reader, run: string): Promise<(digest: string) => unknown> {
  const rows = await reader.all("select digest, body from texts where run = ?", [run]);
  const texts = new Map(rows.map(({ digest, body }) => [digest, JSON.parse(String(body)) as unknown]));
  return (digest) => {
    const text = texts.get(digest);
    if (text === undefined)
      throw new StoreError("damaged", `the record of run ${run} lacks a text that it refers to (${digest}).`);
    return text;
  };
}
