import { canonicalJson, type RecordedReview, type ReviewSubject } from "@agentpool/core";
import type { Ruling } from "./review.ts";
import type { Verdict } from "./verdict.ts";

/** A verdict on record: on a step or a report. */
export type RecordedVerdict = Exclude<RecordedReview, { type: "review:matched" }>;

/** What was judged, in one form however it was written: the same again gets the same verdict in its turn. */
export const keyOf = ({ subject, calls, report }: ReviewSubject): string =>
  subject === "report"
    ? `report ${canonicalJson(report ?? null)}`
    : canonicalJson(calls.map(({ identity, args }) => [identity, args]));

export const isReviewOf =
  ({ subject }: ReviewSubject) =>
  (review: RecordedReview): review is RecordedVerdict =>
    review.type !== "review:matched" && review.subject === subject;

/** What a review on record came to. */
export function rulingOn(review: RecordedVerdict): Ruling {
  switch (review.type) {
    case "review:passed":
      return { type: "passed", todo: review.todo, model: review.model };
    case "review:restarted":
      return { type: "restart", reasoning: review.adjustedReasoning };
    case "review:failed": {
      const { problem, message, adjustedReasoning } = review;
      return problem === "exhausted" && adjustedReasoning !== undefined
        ? { type: "exhausted", reasoning: adjustedReasoning }
        : { type: "failed", failure: { problem, message } };
    }
  }
}

/** What reviews on record sent back, by what was judged. */
export function breachesIn(reviews: readonly RecordedReview[]): Map<string, Verdict> {
  const breaches = new Map<string, Verdict>();
  for (const review of reviews)
    if (review.type === "review:restarted")
      breaches.set(keyOf(review), { type: "breach", reasoning: review.adjustedReasoning });
  return breaches;
}
