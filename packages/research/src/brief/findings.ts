import { type Ledger, unusable } from "../ledger/ledger.ts";
import type { Report } from "../tools/report-findings.ts";
import type { Quotation, RemovedQuotation } from "./brief.ts";

/** A verified quotation with the id that a synthesis cites it by. */
export interface Finding extends Quotation {
  readonly id: string;
}

/** What one agent brought back for its own question. */
export interface Answer {
  readonly question: string;
  /** Key of the agent that was asked. */
  readonly agent: string;
  /** Best first, each verified. */
  readonly findings: readonly Finding[];
  readonly result: string;
  readonly notFound?: string;
  readonly removed: readonly RemovedQuotation[];
  /** Why it ended without a report, or stopped by a limit, in words. */
  readonly trouble?: string;
}

export interface Asked {
  readonly question: string;
  readonly agent: string;
  /** Makes the findings' ids: `f2.1` is the first finding of the second question. */
  readonly number: number;
  readonly trouble?: string;
}

/** Verifies a report's findings against the ledger. What does not verify is taken out, and said. */
export function verifiedAnswer(asked: Asked, report: Report | undefined, ledger: Ledger): Answer {
  const findings: Finding[] = [];
  const removed: RemovedQuotation[] = [];
  for (const { quote, path, confidence, heading } of report?.findings ?? []) {
    const verdict = ledger.verify({ quote, source: path });
    if (verdict.type === "unusable") {
      removed.push({ text: quote, source: path, agent: asked.agent, reason: unusable[verdict.reason] });
      continue;
    }
    findings.push({
      id: `f${asked.number}.${findings.length + 1}`,
      text: quote.replace(/\s+/g, " ").trim(),
      source: verdict.source,
      title: verdict.title,
      heading: verdict.heading || (heading ?? ""),
      lines: verdict.lines,
      ...(confidence === undefined ? {} : { confidence }),
    });
  }
  const { question, agent, trouble } = asked;
  const notFound =
    report?.notFound ?? (findings.length === 0 ? nothing(question, removed.length) : undefined);
  return {
    question,
    agent,
    findings,
    result: report?.result ?? "",
    removed,
    ...(notFound === undefined ? {} : { notFound }),
    ...(trouble === undefined ? {} : { trouble }),
  };
}

const nothing = (question: string, removed: number): string =>
  removed === 0
    ? `Nothing was found that answers “${question}”.`
    : `Nothing that was reported on “${question}” could be verified.`;

/** Ids by the answers' order, so that answers of several inquiries can be put together. */
export const numbered = (answers: readonly Answer[]): Answer[] =>
  answers.map((answer, at) => ({
    ...answer,
    findings: answer.findings.map((finding, place) => ({ ...finding, id: `f${at + 1}.${place + 1}` })),
  }));
