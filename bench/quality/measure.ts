import type { ExtractiveWeights } from "@agentpool/models";
import type { Corpus } from "@agentpool/tools";
import type { Operation } from "effection";
import type { Composite, Question } from "./dataset.ts";
import { holds, type Quoted, shown } from "./hit.ts";
import { briefOn, quotationsOf } from "./job.ts";
import type { PlainBm25 } from "./plain-bm25.ts";

/** What counts of a brief. */
export const most = 5;
export const mostWords = 300;

/** Shares of questions, 0 to 1. */
export interface Shares {
  readonly questions: number;
  /** The first quotation holds an answer. */
  readonly first: number;
  /** One of the first five, 300 words together, does. */
  readonly five: number;
  /** The same by halves of the articles. */
  readonly halves: readonly { readonly first: number; readonly five: number }[];
  /** Quotations that do not stand in their file: has to be 0. */
  readonly unverified: number;
  /** Of first quotations by how sure the engine was: how many, and the share that held an answer. */
  readonly sureness: readonly { readonly from: number; readonly count: number; readonly right: number }[];
  readonly millisecondsPerQuestion: number;
}

interface Outcome {
  readonly question: Question;
  readonly first: boolean;
  readonly five: boolean;
  readonly confidence: number | undefined;
  readonly unverified: number;
}

const share = (list: readonly Outcome[], is: (outcome: Outcome) => boolean): number =>
  list.length === 0 ? 0 : list.filter(is).length / list.length;

const edges = [0, 0.3, 0.6, 0.8];

/** The weights to ask about an article with. */
export type WeightsFor = (doc: string) => ExtractiveWeights;

/** Asks the job every question. */
export function* measureJob(
  corpus: Corpus,
  questions: readonly Question[],
  sentences: 1 | 2,
  weightsFor: WeightsFor,
): Operation<Shares> {
  const start = performance.now();
  const outcomes: Outcome[] = [];
  for (const question of questions) {
    const brief = yield* briefOn(corpus, question.question, {
      sentences,
      weights: weightsFor(question.doc),
    });
    const all = brief.sections.flatMap(({ quotations }) => quotations);
    outcomes.push({
      question,
      ...judged(quotationsOf(brief), question),
      confidence: all[0]?.confidence,
      unverified: all.filter((quotation) => !corpus.verify(quotation)).length,
    });
  }
  return sharesOf(outcomes, (performance.now() - start) / Math.max(1, questions.length));
}

/** Asks plain BM25 every question. */
export function measurePlain(plain: PlainBm25, questions: readonly Question[], sentences: 1 | 2): Shares {
  const start = performance.now();
  const outcomes = questions.map((question) => ({
    question,
    ...judged(plain.quote(question.question, most, sentences, mostWords), question),
    confidence: undefined,
    unverified: 0,
  }));
  return sharesOf(outcomes, (performance.now() - start) / Math.max(1, questions.length));
}

function judged(quotations: readonly Quoted[], question: Question): { first: boolean; five: boolean } {
  const [first] = quotations;
  return {
    first: first !== undefined && holds(first, question),
    five: shown(quotations, most, mostWords).some((quotation) => holds(quotation, question)),
  };
}

function sharesOf(outcomes: readonly Outcome[], millisecondsPerQuestion: number): Shares {
  const docs = [...new Set(outcomes.map(({ question }) => question.doc))].sort();
  const half = (which: number): Outcome[] =>
    outcomes.filter(({ question }) => docs.indexOf(question.doc) % 2 === which);
  return {
    questions: outcomes.length,
    first: share(outcomes, ({ first }) => first),
    five: share(outcomes, ({ five }) => five),
    halves: [half(0), half(1)].map((list) => ({
      first: share(list, ({ first }) => first),
      five: share(list, ({ five }) => five),
    })),
    unverified: outcomes.reduce((all, { unverified }) => all + unverified, 0),
    sureness: edges.map((from, at) => {
      const within = outcomes.filter(
        ({ confidence = -1 }) => confidence >= from && confidence < (edges[at + 1] ?? 2),
      );
      return { from, count: within.length, right: share(within, ({ first }) => first) };
    }),
    millisecondsPerQuestion,
  };
}

/**
 * The share of the parts of composite questions that a brief answers within five quotations and 300 words. Parts of
 * articles that are asked about with different weights are asked each with theirs, and count there only.
 */
export function* measureParts(
  corpus: Corpus,
  composites: readonly Composite[],
  byId: ReadonlyMap<string, Question>,
  weightsFor: WeightsFor,
): Operation<number> {
  let held = 0;
  let all = 0;
  for (const { question, parts } of composites) {
    const asked = parts.map((part) => byId.get(part)!);
    for (const weights of new Set(asked.map(({ doc }) => weightsFor(doc)))) {
      const brief = yield* briefOn(corpus, question, { weights });
      const quotations = shown(quotationsOf(brief), most, mostWords);
      for (const part of asked.filter(({ doc }) => weightsFor(doc) === weights)) {
        all++;
        if (quotations.some((quotation) => holds(quotation, part))) held++;
      }
    }
  }
  return held / Math.max(1, all);
}

/** The same by plain BM25 over the unsplit question. */
export function plainParts(
  plain: PlainBm25,
  composites: readonly Composite[],
  byId: ReadonlyMap<string, Question>,
): number {
  let held = 0;
  let all = 0;
  for (const { question, parts } of composites) {
    const quotations = plain.quote(question, most, 2, mostWords);
    for (const part of parts) {
      all++;
      if (quotations.some((quotation) => holds(quotation, byId.get(part)!))) held++;
    }
  }
  return held / Math.max(1, all);
}
