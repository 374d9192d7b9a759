import type { Effort } from "@agentpool/research";

/** How much a job may look at and say. */
export interface Numbers {
  /** Turns of the scout. */
  readonly scout: number;
  /** Most inquiries of a plan, and turns of each. */
  readonly inquiries: number;
  readonly turns: number;
  /** Most findings of a report. */
  readonly findings: number;
  /** Most quotations of a section, and words of them together. */
  readonly quotations: number;
  readonly words: number;
  /** Most tokens of findings that a section is written from. */
  readonly tokens: number;
}

/** What each effort buys. The only place where these numbers stand. */
export const efforts: Readonly<Record<Effort, Numbers>> = {
  min: { scout: 2, inquiries: 1, turns: 4, findings: 3, quotations: 2, words: 100, tokens: 2_000 },
  low: { scout: 2, inquiries: 3, turns: 6, findings: 4, quotations: 2, words: 120, tokens: 4_000 },
  medium: { scout: 3, inquiries: 6, turns: 10, findings: 5, quotations: 2, words: 120, tokens: 8_000 },
  high: { scout: 5, inquiries: 10, turns: 16, findings: 8, quotations: 3, words: 210, tokens: 16_000 },
  max: { scout: 8, inquiries: 16, turns: 30, findings: 12, quotations: 5, words: 400, tokens: 32_000 },
};

/** The numbers of an effort, with no agent above the turns that harness.yml allows. */
export function numbersFor(effort: Effort, maxTurns: number): Numbers {
  const numbers = efforts[effort];
  return { ...numbers, scout: Math.min(numbers.scout, maxTurns), turns: Math.min(numbers.turns, maxTurns) };
}
