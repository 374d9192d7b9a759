import { type ExtractiveWeights, extractiveFeatures, type JudgedSentence } from "@agentpool/models";
import type { Corpus } from "@agentpool/tools";
import type { Operation } from "effection";
import type { Question } from "../dataset.ts";
import { holds } from "../hit.ts";
import { briefOn } from "../job.ts";

/** What a job read for a question, as its engine saw it. */
export interface Example {
  readonly question: Question;
  /** A row of features for each sentence, one row after another. */
  readonly features: Float64Array;
  /** Which sentences hold an accepted answer. */
  readonly holds: readonly boolean[];
}

/** Runs the job on questions and gathers what it read. A question of which nothing was read gives no example. */
export function* examplesOf(
  corpus: Corpus,
  questions: readonly Question[],
  weights: ExtractiveWeights,
): Operation<Example[]> {
  const examples: Example[] = [];
  for (const question of questions) {
    let judged: readonly JudgedSentence[] = [];
    yield* briefOn(corpus, question.question, {
      weights,
      onJudged: (_, sentences) => {
        judged = sentences;
      },
    });
    if (judged.length > 0) examples.push(exampleOf(question, judged));
  }
  return examples;
}

const exampleOf = (question: Question, judged: readonly JudgedSentence[]): Example => ({
  question,
  features: Float64Array.from(
    judged.flatMap(({ features }) => extractiveFeatures.map((name) => features[name])),
  ),
  holds: judged.map(({ candidate }) =>
    holds({ text: candidate.sentence.text, source: candidate.document.path }, question),
  ),
});
