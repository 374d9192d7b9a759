import { alikeIn } from "../question/alike.ts";
import { holdsAnswer, showsInWords } from "../question/answer-type.ts";
import type { Query } from "../question/query.ts";
import type { Word } from "../text/words.ts";
import { bm25, rarityIn } from "./bm25.ts";
import type { Candidate, Candidates } from "./candidates.ts";
import { foundBy, type Hints, hinted, noHints } from "./hints.ts";
import { nearAnswer } from "./near-answer.ts";

/**
 * What a sentence is judged by. All are near 0 to 1, except `length`.
 *
 * - `sentence`, `block`, `document`: BM25 at that level, as a share of the best candidate's
 * - `match`: BM25 of the sentence as a share of what the question's terms are worth
 * - `coverage`, `coverageSquared`: how much of the question's terms, weighted by rarity, the sentence holds
 * - `plain`: the same of the terms that are neither names nor numbers
 * - `before`, `after`, `context`, `alike`: how much of what it lacks the sentence before holds, the one after, the
 *   title and headings, and words of the same family or that the question misspells
 * - `around`: how much of the terms the sentence and both its neighbours hold together
 * - `phrases`: how many of the question's words that stand next to each other do so here
 * - `type`, `kind`: whether it holds something of the kind asked for; again if the kind shows in words: a number, a
 *   date, a name
 * - `near`: how near the terms stand to what may be the answer
 * - `focus`: whether it names what is asked for
 * - `found`, `foundType`: how high a search put its passage, or another one of its document; the same times `type`
 * - `length`: logarithm of its words
 */
export const featureNames = [
  "sentence",
  "block",
  "document",
  "match",
  "coverage",
  "coverageSquared",
  "plain",
  "before",
  "after",
  "around",
  "context",
  "alike",
  "phrases",
  "type",
  "kind",
  "near",
  "focus",
  "found",
  "foundType",
  "length",
] as const;

export type FeatureName = (typeof featureNames)[number];
export type Features = Readonly<Record<FeatureName, number>>;

/** Judges every candidate against a question. */
export function featuresOf(
  query: Query,
  { list, statistics }: Candidates,
  hints: Hints = noHints,
): Features[] {
  const stems = [...query.stems];
  const rarity = {
    sentence: hinted(hints, rarityIn(statistics.sentence)),
    block: hinted(hints, rarityIn(statistics.block)),
    document: hinted(hints, rarityIn(statistics.document)),
  };
  const scores = list.map(({ bags }) => ({
    sentence: bm25(stems, bags.sentence, statistics.sentence, rarity.sentence),
    block: bm25(stems, bags.block, statistics.block, rarity.block),
    document: bm25(stems, bags.document, statistics.document, rarity.document),
  }));
  const best = { sentence: 1e-9, block: 1e-9, document: 1e-9 };
  for (const score of scores) {
    best.sentence = Math.max(best.sentence, score.sentence);
    best.block = Math.max(best.block, score.block);
    best.document = Math.max(best.document, score.document);
  }
  const weights = new Map(query.terms.map(({ stem }) => [stem, rarity.sentence(stem)]));
  const total = Math.max(1e-9, sum(weights.values()));
  const plain = query.terms.flatMap(({ stem, capital, plain: word }) =>
    capital || /^\p{N}/u.test(word) ? [] : [stem],
  );
  const plainTotal = sum(plain.map((stem) => weights.get(stem)!));
  const vocabulary = statistics.sentence.frequency;
  const alike = new Map(query.terms.map(({ stem }) => [stem, alikeIn(stem, vocabulary)]));
  return list.map((candidate, at) => {
    const score = scores[at]!;
    const { counts } = candidate.sentence;
    const missing = query.terms.filter(({ stem }) => !counts.has(stem));
    const share = (has: (stem: string) => boolean): number =>
      sum(missing.map(({ stem }) => (has(stem) ? weights.get(stem)! : 0))) / total;
    const coverage = 1 - share(() => true);
    const type = holdsAnswer(query.type, candidate.sentence.text, candidate.sentence.words, query.stems);
    const found = foundBy(hints, candidate.document.path, candidate.block.from, candidate.block.to);
    return {
      sentence: score.sentence / best.sentence,
      block: score.block / best.block,
      document: score.document / best.document,
      match: score.sentence / total,
      coverage,
      coverageSquared: coverage * coverage,
      plain:
        plainTotal === 0
          ? coverage
          : sum(plain.map((stem) => (counts.has(stem) ? weights.get(stem)! : 0))) / plainTotal,
      before: neighbour(list, candidate.previous, share),
      after: neighbour(list, candidate.next, share),
      around:
        coverage +
        share((stem) => holds(list, candidate.previous, stem) || holds(list, candidate.next, stem)),
      context: share((stem) => candidate.context.has(stem)),
      alike: share((stem) => alike.get(stem)!.some((other) => counts.has(other))),
      phrases: phrases(query, candidate.sentence.words),
      type,
      kind: showsInWords(query.type) ? type : 0,
      near: nearAnswer(query, candidate.sentence.words, weights) / total,
      focus: query.focus !== undefined && counts.has(query.focus) ? 1 : 0,
      found,
      foundType: found * type,
      length: Math.log(candidate.sentence.words.length),
    };
  });
}

const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

const neighbour = (
  list: readonly Candidate[],
  at: number,
  share: (has: (stem: string) => boolean) => number,
): number => (at === -1 ? 0 : share((stem) => holds(list, at, stem)));

const holds = (list: readonly Candidate[], at: number, stem: string): boolean =>
  at !== -1 && list[at]!.sentence.counts.has(stem);

function phrases(query: Query, sentence: readonly Word[]): number {
  if (query.phrases.length === 0) return 0;
  const here = new Set<string>();
  for (let at = 1; at < sentence.length; at++) here.add(`${sentence[at - 1]!.stem} ${sentence[at]!.stem}`);
  return query.phrases.filter(([left, right]) => here.has(`${left} ${right}`)).length / query.phrases.length;
}
