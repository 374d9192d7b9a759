import { functionWords } from "../text/function-words.ts";
import type { Block, Sentence } from "../text/passages.ts";
import { words } from "../text/words.ts";
import { type Bag, type Statistics, statisticsOf } from "./bm25.ts";

/** What was read of a document. */
export interface ReadDocument {
  readonly path: string;
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** A sentence that may answer, with what it stands in. */
export interface Candidate {
  readonly document: ReadDocument;
  readonly block: Block;
  readonly sentence: Sentence;
  readonly bags: { readonly sentence: Bag; readonly block: Bag; readonly document: Bag };
  /** Stems of the document's title and the headings above. */
  readonly context: ReadonlySet<string>;
  /** Neighbours in the same block, as places in the list of candidates; -1 where there is none. */
  readonly previous: number;
  readonly next: number;
}

export interface Candidates {
  readonly list: readonly Candidate[];
  readonly statistics: {
    readonly sentence: Statistics;
    readonly block: Statistics;
    readonly document: Statistics;
  };
}

/** Every sentence of what was read, with the statistics of three levels: sentence, block and document. */
export function candidatesOf(documents: readonly ReadDocument[]): Candidates {
  const list: Candidate[] = [];
  const sentenceBags: Bag[] = [];
  const blockBags: Bag[] = [];
  const documentBags: Bag[] = [];
  for (const document of documents) {
    const whole = documentBag(document);
    documentBags.push(whole);
    const contexts = new Map<string, ReadonlySet<string>>();
    for (const block of document.blocks) {
      const above = [document.title, ...block.headings].join(" \n");
      const context = contexts.get(above) ?? stemsOf(above);
      contexts.set(above, context);
      blockBags.push(block);
      const first = list.length;
      const last = first + block.sentences.length - 1;
      for (const sentence of block.sentences) {
        const bag = { counts: sentence.counts, length: sentence.words.length };
        sentenceBags.push(bag);
        const at = list.length;
        list.push({
          document,
          block,
          sentence,
          bags: { sentence: bag, block, document: whole },
          context,
          previous: at > first ? at - 1 : -1,
          next: at < last ? at + 1 : -1,
        });
      }
    }
  }
  return {
    list,
    statistics: {
      sentence: statisticsOf(sentenceBags),
      block: statisticsOf(blockBags),
      document: statisticsOf(documentBags),
    },
  };
}

const stemsOf = (text: string): ReadonlySet<string> =>
  new Set(
    words(text)
      .filter((word) => !functionWords.has(word.plain))
      .map((word) => word.stem),
  );

function documentBag(document: ReadDocument): Bag {
  const counts = new Map<string, number>();
  let length = 0;
  for (const block of document.blocks) {
    length += block.length;
    for (const [stem, times] of block.counts) counts.set(stem, (counts.get(stem) ?? 0) + times);
  }
  for (const stem of stemsOf(document.title)) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return { counts, length };
}
