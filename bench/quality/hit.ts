import { basename } from "node:path";
import type { Question } from "./dataset.ts";

/** Words quoted from a document. */
export interface Quoted {
  readonly text: string;
  readonly source: string;
}

const fold = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Whether a quotation holds an accepted answer, as it stands in the document, and is from the right document. */
export const holds = ({ text, source }: Quoted, { answers, doc }: Question): boolean =>
  basename(source) === doc && answers.some((answer) => fold(text).includes(fold(answer)));

export const wordsIn = (text: string): number => fold(text).split(" ").length;

/** What a brief may show to count: the first quotations up to a number of them and of words together. */
export function shown(quotations: readonly Quoted[], most: number, words: number): Quoted[] {
  let left = words;
  const kept: Quoted[] = [];
  for (const quotation of quotations.slice(0, most)) {
    left -= wordsIn(quotation.text);
    if (left < 0) break;
    kept.push(quotation);
  }
  return kept;
}
