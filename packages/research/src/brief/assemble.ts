import type { Totals } from "@agentpool/core";
import type { Ledger } from "../ledger/ledger.ts";
import type { SubmittedBrief, SubmittedSection } from "../tools/submit-brief.ts";
import type { Brief, BriefSection, BriefSource, BriefTotals, Quotation } from "./brief.ts";
import type { Answer, Finding } from "./findings.ts";
import { shorten } from "./shorten.ts";

export interface Assembly {
  readonly question: string;
  readonly answers: readonly Answer[];
  readonly limits: { readonly quotations: number; readonly words: number };
  /** Absent: the sections are made from the answers by code. */
  readonly submitted: SubmittedBrief | undefined;
  readonly ledger: Ledger;
  readonly totals: Totals;
  readonly status: Brief["status"];
  readonly notices: readonly string[];
}

/** The brief out of the answers and, where there is one, what a synthesis made of them. */
export function assemble(assembly: Assembly): Brief {
  const { question, answers, submitted, ledger } = assembly;
  const { sections, unknown } = submitted ? fromSubmitted(submitted, answers) : fromAnswers(assembly);
  const sources = sourcesOf(sections, answers, ledger);
  const troubles = answers.flatMap(({ question: asked, trouble }) =>
    trouble ? [`“${asked}”: ${trouble}`] : [],
  );
  const nothing = sections.every(({ quotations }) => quotations.length === 0);
  return {
    title: shorten(submitted?.title?.trim() || question),
    question,
    status: assembly.status,
    sections,
    sources,
    notFound: sections.flatMap(({ notFound }) => notFound ?? []),
    removed: answers.flatMap(({ removed }) => removed),
    notices: [
      ...(nothing ? ["Nothing was found: this brief has no quotations."] : []),
      ...assembly.notices,
      ...troubles,
      ...(unknown.length > 0 ? [`Citations that name no finding were removed: ${unknown.join(", ")}.`] : []),
      ...(submitted?.note ? [submitted.note] : []),
    ],
    totals: totalsOf(assembly.totals, ledger),
  };
}

/** What was read, cited sources first. Where the ledger is another one, what is cited was read all the same. */
function sourcesOf(
  sections: readonly BriefSection[],
  answers: readonly Answer[],
  ledger: Ledger,
): BriefSource[] {
  const cited = new Map<string, Quotation[]>();
  for (const quotation of sections.flatMap(({ quotations }) => quotations)) {
    const list = cited.get(quotation.source);
    if (list) list.push(quotation);
    else cited.set(quotation.source, [quotation]);
  }
  const read = ledger.sources().filter(({ readBy }) => readBy.length > 0);
  const known = new Set(read.map(({ source }) => source));
  const elsewhere = [...cited].flatMap(([source, quotations]) =>
    known.has(source)
      ? []
      : [
          {
            source,
            title: quotations[0]!.title,
            lines: quotations.map(({ lines }) => lines).sort((a, b) => a[0] - b[0]),
            readBy: answers
              .filter(({ findings }) => findings.some((finding) => finding.source === source))
              .map(({ agent }) => agent),
          },
        ],
  );
  return [...read, ...elsewhere]
    .map((source) => ({ ...source, quotations: cited.get(source.source)?.length ?? 0 }))
    .sort((a, b) => b.quotations - a.quotations);
}

function totalsOf(totals: Totals, ledger: Ledger): BriefTotals {
  const searches = ledger.searches();
  const sources = ledger.sources();
  const read = sources.filter(({ readBy }) => readBy.length > 0).length;
  return {
    ...totals,
    searches: searches.length,
    emptySearches: searches.filter(({ hits }) => hits === 0).length,
    sourcesRead: read,
    sourcesNamed: sources.length - read,
  };
}

interface Sections {
  readonly sections: BriefSection[];
  /** Ids that were cited and that no finding has. */
  readonly unknown: string[];
}

const quotationOf = ({ id: _, ...quotation }: Finding): Quotation => quotation;

/** The id in a citation, which may stand in brackets. */
const idIn = (cited: string): string => cited.replace(/[[\]\s]/g, "");

/** Whether a synthesis cites anything that was found. */
export function citesAny(submitted: SubmittedBrief, answers: readonly Answer[]): boolean {
  const ids = new Set(answers.flatMap(({ findings }) => findings.map(({ id }) => id)));
  return submitted.sections.some(({ findings }) => findings.some((cited) => ids.has(idIn(cited))));
}

/** One section for each question, in the plan's order, whatever order and titles the synthesis gave. */
function fromSubmitted(submitted: SubmittedBrief, answers: readonly Answer[]): Sections {
  const findings = new Map(
    answers.flatMap(({ findings: all }) => all.map((finding) => [finding.id, finding])),
  );
  const unknown: string[] = [];
  const taken = new Set<SubmittedSection>();
  const told = new Set<string>();
  const quoted = (section: SubmittedSection): Quotation[] =>
    section.findings.flatMap((cited) => {
      const finding = findings.get(idIn(cited));
      if (finding === undefined) {
        unknown.push(cited);
        return [];
      }
      if (told.has(finding.id)) return [];
      told.add(finding.id);
      return [quotationOf(finding)];
    });
  const made = (section: SubmittedSection, answer: Answer | undefined): BriefSection => {
    const quotations = quoted(section);
    const notFound = section.notFound ?? (quotations.length === 0 ? answer?.notFound : undefined);
    const text =
      section.answer && quotations.length > 0 ? withoutUnknown(section.answer, findings, unknown) : undefined;
    return {
      question: answer?.question ?? section.question,
      quotations,
      ...(text ? { answer: text } : {}),
      ...(notFound ? { notFound } : {}),
    };
  };
  const sections = answers.map((answer, at) => {
    const section =
      submitted.sections.find((one) => !taken.has(one) && same(one.question, answer.question)) ??
      submitted.sections.find((one) => !taken.has(one) && citesOnly(one, answer)) ??
      (submitted.sections.length === answers.length && !taken.has(submitted.sections[at]!)
        ? submitted.sections[at]
        : undefined);
    if (section === undefined) {
      const notFound = answer.notFound ?? `The brief leaves out “${answer.question}”.`;
      return { question: answer.question, quotations: [], notFound };
    }
    taken.add(section);
    return made(section, answer);
  });
  const more = submitted.sections.filter((one) => !taken.has(one)).map((one) => made(one, undefined));
  return { sections: [...sections, ...more], unknown };
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
const same = (left: string, right: string): boolean => plain(left) === plain(right);
const citesOnly = ({ findings }: SubmittedSection, answer: Answer): boolean =>
  findings.length > 0 && findings.every((id) => answer.findings.some((finding) => finding.id === id));

/** An answer's `[f1.2]` marks, without those that name no finding. */
function withoutUnknown(answer: string, findings: ReadonlyMap<string, Finding>, unknown: string[]): string {
  return answer
    .replace(/\s*\[(f\d+(?:\.\d+)?)\]/g, (mark, id: string) => {
      if (findings.has(id)) return mark;
      unknown.push(id);
      return "";
    })
    .trim();
}

/** By code alone: each question's best finding first, then the surest ones while there is room. */
function fromAnswers({ answers, limits }: Assembly): Sections {
  const order = answers
    .flatMap((answer) => answer.findings.map((finding, place) => ({ finding, place })))
    .sort((a, b) => a.place - b.place || (b.finding.confidence ?? 0) - (a.finding.confidence ?? 0));
  const kept = new Set<string>();
  let words = limits.words;
  for (const { finding } of order) {
    const length = finding.text.split(/\s+/).length;
    if (kept.size >= limits.quotations || length > words) continue;
    kept.add(finding.id);
    words -= length;
  }
  const sections = answers.map(({ question, findings, notFound }) => ({
    question,
    quotations: findings.filter(({ id }) => kept.has(id)).map(quotationOf),
    ...(notFound === undefined ? {} : { notFound }),
  }));
  return { sections, unknown: [] };
}
