/** How much a job may look at and say. */
export type Effort = "min" | "low" | "medium" | "high" | "max";

export interface EffortNumbers {
  /** Most sub-questions of a plan. */
  readonly questions: number;
  /** Most turns of an agent that plans, and of one that researches. */
  readonly planTurns: number;
  readonly researchTurns: number;
  /** Most findings of one report. */
  readonly findings: number;
  /** Quotations of a brief: this many, or `perQuestion` for each question where that is more. */
  readonly quotations: { readonly least: number; readonly perQuestion: number };
  /** Words of a brief's quotations together: this many for each quotation. */
  readonly wordsPerQuotation: number;
  /** Most tokens that synthesis is sent. */
  readonly synthesisTokens: number;
}

/** What each effort buys. The only place where these numbers stand. */
export const efforts: Readonly<Record<Effort, EffortNumbers>> = {
  min: {
    questions: 1,
    planTurns: 2,
    researchTurns: 6,
    findings: 3,
    quotations: { least: 2, perQuestion: 1 },
    wordsPerQuotation: 50,
    synthesisTokens: 4_000,
  },
  low: {
    questions: 3,
    planTurns: 2,
    researchTurns: 8,
    findings: 4,
    quotations: { least: 3, perQuestion: 1 },
    wordsPerQuotation: 60,
    synthesisTokens: 8_000,
  },
  medium: {
    questions: 6,
    planTurns: 4,
    researchTurns: 10,
    findings: 5,
    quotations: { least: 5, perQuestion: 5 / 3 },
    wordsPerQuotation: 60,
    synthesisTokens: 24_000,
  },
  high: {
    questions: 10,
    planTurns: 6,
    researchTurns: 16,
    findings: 8,
    quotations: { least: 8, perQuestion: 3 },
    wordsPerQuotation: 70,
    synthesisTokens: 48_000,
  },
  max: {
    questions: 16,
    planTurns: 8,
    researchTurns: 30,
    findings: 12,
    quotations: { least: 12, perQuestion: 5 },
    wordsPerQuotation: 80,
    synthesisTokens: 96_000,
  },
};

/** How many quotations, and words of them together, a brief on that many questions may hold. */
export function briefLimits(
  numbers: EffortNumbers,
  questions: number,
): { quotations: number; words: number } {
  const { least, perQuestion } = numbers.quotations;
  const quotations = Math.max(least, Math.ceil(perQuestion * questions));
  return { quotations, words: quotations * numbers.wordsPerQuotation };
}
