import type { Document, Lines } from "./corpus.ts";

/** Where a verbatim text stands in a document, within `range`: the first place, as lines. */
export function placeOf(document: Document, text: string, range?: Lines): Lines | undefined {
  const wanted = collapsed(text);
  if (wanted === "") return undefined;
  const [from, to] = range ?? [1, document.content.length];
  let all = "";
  const ends: number[] = [];
  for (const line of document.content.slice(from - 1, to)) {
    const words = collapsed(line);
    all += words === "" || all === "" ? words : ` ${words}`;
    ends.push(all.length);
  }
  const at = all.indexOf(wanted);
  if (at < 0) return undefined;
  const lineOf = (position: number) => from + ends.findIndex((end) => position < end);
  return [lineOf(at), lineOf(at + wanted.length - 1)];
}

/** Runs of white space as one space, Unicode in composed form: nothing else may differ. */
const collapsed = (text: string): string => text.normalize("NFC").replace(/\s+/g, " ").trim();
