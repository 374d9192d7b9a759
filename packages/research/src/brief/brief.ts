import type { Totals } from "@agentpool/core";

/** What a research job gives: verified quotations by question, with what was not found. */
export interface Brief {
  /** Short: a long question is cut after a word, with `…`. */
  readonly title: string;
  /** As it was asked, whole. */
  readonly question: string;
  /** `partial`: the job was cut short, or one of its stages failed; `notices` say which. */
  readonly status: "complete" | "partial";
  readonly sections: readonly BriefSection[];
  /** Every source that was read, cited ones first. */
  readonly sources: readonly BriefSource[];
  /** What was asked and not answered. */
  readonly notFound: readonly string[];
  /** Quotations that were reported and taken out, since they did not verify. */
  readonly removed: readonly RemovedQuotation[];
  /** What a reader has to know: failures, cuts, how the brief was made. */
  readonly notices: readonly string[];
  readonly totals: BriefTotals;
}

export interface BriefSection {
  readonly question: string;
  /** Best first. Each stands word by word in its source. */
  readonly quotations: readonly Quotation[];
  /** In a model's own words; absent where the brief is made of quotations alone. */
  readonly answer?: string;
  readonly notFound?: string;
}

export interface Quotation {
  readonly text: string;
  /** Path or URL. */
  readonly source: string;
  readonly title: string;
  /** The nearest heading above; empty where there is none. */
  readonly heading: string;
  readonly lines: readonly [from: number, to: number];
  /** How sure its reporter was that it answers, 0 to 1. */
  readonly confidence?: number;
}

export interface BriefSource {
  readonly source: string;
  readonly title: string;
  /** Lines that were read. */
  readonly lines: readonly (readonly [from: number, to: number])[];
  readonly readBy: readonly string[];
  /** Quotations taken from it. */
  readonly quotations: number;
}

export interface RemovedQuotation {
  readonly text: string;
  readonly source: string;
  /** Key of the agent that reported it. */
  readonly agent: string;
  readonly reason: string;
}

export interface BriefTotals extends Totals {
  readonly searches: number;
  /** Searches that found nothing. */
  readonly emptySearches: number;
  readonly sourcesRead: number;
  /** Sources that a search named and nobody opened. */
  readonly sourcesNamed: number;
}
