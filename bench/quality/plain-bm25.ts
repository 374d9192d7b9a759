import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Quoted } from "./hit.ts";

interface Sentence extends Quoted {
  /** Words in it. */
  readonly length: number;
  /** Its paragraph: neighbours are of the same one. */
  readonly paragraph: number;
}

interface Posting {
  readonly sentence: number;
  readonly times: number;
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** The textbook baseline: BM25 (k1 1.2, b 0.75) over the words of sentences, nothing else. */
export class PlainBm25 {
  readonly #sentences: Sentence[] = [];
  readonly #postings = new Map<string, Posting[]>();
  readonly #averageLength: number;

  constructor(folders: readonly string[]) {
    let paragraph = 0;
    for (const folder of folders) {
      for (const name of readdirSync(folder).sort()) {
        for (const text of readFileSync(join(folder, name), "utf8").split(/\n\s*\n/)) {
          if (/^#/.test(text)) continue;
          paragraph++;
          for (const sentence of text.split(/(?<=[.!?]["')\]]*)\s+(?=["'([]*\p{Lu})/u)) {
            this.#add(sentence, name, paragraph);
          }
        }
      }
    }
    const length = this.#sentences.reduce((all, sentence) => all + sentence.length, 0);
    this.#averageLength = length / Math.max(1, this.#sentences.length);
  }

  #add(text: string, source: string, paragraph: number): void {
    const inside = wordsOf(text);
    const at = this.#sentences.push({ text, source, length: inside.length, paragraph }) - 1;
    const counts = new Map<string, number>();
    for (const word of inside) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, times] of counts) {
      const list = this.#postings.get(word);
      if (list) list.push({ sentence: at, times });
      else this.#postings.set(word, [{ sentence: at, times }]);
    }
  }

  /**
   * The best quotations, best first. Of two sentences: each with the better of its neighbours. Together at most
   * `words` words; what was quoted is not quoted again.
   */
  quote(question: string, most: number, sentences: 1 | 2, words = Number.POSITIVE_INFINITY): Quoted[] {
    const scores = this.#scores(question);
    const order = best(scores, most * spare);
    const used = new Set<number>();
    const quoted: Quoted[] = [];
    let left = words;
    for (const at of order) {
      if (quoted.length >= most) break;
      if (used.has(at)) continue;
      const places = sentences === 1 ? [at] : this.#withNeighbour(at, scores, used);
      const text = places.map((place) => this.#sentences[place]!.text).join(" ");
      const length = text.split(/\s+/).length;
      if (length > left) continue;
      left -= length;
      for (const place of places) used.add(place);
      quoted.push({ text, source: this.#sentences[at]!.source });
    }
    return quoted;
  }

  #withNeighbour(at: number, scores: Float64Array, used: ReadonlySet<number>): number[] {
    const { paragraph } = this.#sentences[at]!;
    const near = [at - 1, at + 1].filter(
      (place) => this.#sentences[place]?.paragraph === paragraph && !used.has(place),
    );
    const better = near.sort((a, b) => scores[b]! - scores[a]!)[0];
    return better === undefined ? [at] : [at, better].sort((a, b) => a - b);
  }

  #scores(question: string): Float64Array {
    const count = this.#sentences.length;
    const scores = new Float64Array(count);
    for (const word of new Set(wordsOf(question))) {
      const postings = this.#postings.get(word) ?? [];
      const rarity = Math.log(1 + (count - postings.length + 0.5) / (postings.length + 0.5));
      for (const { sentence, times } of postings) {
        const norm = 1.2 * (0.25 + (0.75 * this.#sentences[sentence]!.length) / this.#averageLength);
        scores[sentence]! += (rarity * times * 2.2) / (times + norm);
      }
    }
    return scores;
  }
}

/** So many times more sentences are looked at than are quoted: some are used up as neighbours, some are too long. */
const spare = 12;

/** The places of the highest scores, highest first. */
function best(scores: Float64Array, most: number): number[] {
  const kept: number[] = [];
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at]!;
    if (score === 0 || (kept.length === most && score <= scores[kept[most - 1]!]!)) continue;
    let place = kept.length;
    while (place > 0 && scores[kept[place - 1]!]! < score) place--;
    kept.splice(place, 0, at);
    if (kept.length > most) kept.pop();
  }
  return kept;
}
