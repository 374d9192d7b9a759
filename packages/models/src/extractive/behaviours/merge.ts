import { isRecord } from "../conversation/exchanges.ts";
import { type BriefRole, propertiesOf, type ToolRole } from "../conversation/roles.ts";
import { foldSpace } from "../text/passages.ts";
import { fill, itemsOf } from "./fill.ts";
import type { Move } from "./move.ts";
import { doubtful, quotation } from "./report.ts";

/** What synthesis is given: the reports, each with its question and its findings. */
export interface Material {
  readonly question: string;
  readonly limits: { readonly quotations: number; readonly words: number };
  readonly reports: readonly MaterialReport[];
}
export interface MaterialReport {
  readonly question: string;
  readonly findings: readonly MaterialFinding[];
  readonly notFound: string | undefined;
}
export interface MaterialFinding {
  readonly id: string;
  readonly text: string;
  readonly source: string;
  readonly heading: string;
  readonly lines: readonly [number, number];
  readonly confidence: number;
}

const list = (value: unknown): readonly Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];
const string = (...values: readonly unknown[]): string =>
  (values.find((value) => typeof value === "string") as string | undefined) ?? "";
const number = (value: unknown, otherwise: number): number =>
  typeof value === "number" && Number.isFinite(value) ? value : otherwise;

/** Reads the material out of a JSON object; what is missing or malformed in it is left out. */
export function materialIn(value: Record<string, unknown>, task: string): Material {
  const limits = isRecord(value.limits) ? value.limits : {};
  return {
    question: string(value.question, task),
    limits: {
      quotations: number(limits.quotations, Number.POSITIVE_INFINITY),
      words: number(limits.words, Number.POSITIVE_INFINITY),
    },
    reports: list(value.reports).map((report) => ({
      question: string(report.question, report.task),
      notFound: string(report.notFound) || undefined,
      findings: list(report.findings).map((finding, at) => {
        const lines = Array.isArray(finding.lines) ? finding.lines : [];
        return {
          id: string(finding.id, String(at)),
          text: string(finding.quote, finding.text),
          source: string(finding.path, finding.source, finding.url),
          heading: string(finding.heading),
          lines: [number(lines[0], 0), number(lines[1], 0)] as const,
          confidence: number(finding.confidence, 0.5),
        };
      }),
    })),
  };
}

export interface MergedSection {
  readonly question: string;
  readonly findings: readonly MaterialFinding[];
  readonly notFound: string | undefined;
}

/**
 * The sections of a brief, in the order of the questions. Each question's best finding comes first; what room is left
 * goes to the findings that are likeliest to add an answer. A passage that another one holds is not repeated.
 */
export function merge({ reports, limits }: Material): MergedSection[] {
  const chosen = reports.map((): MaterialFinding[] => []);
  const queue = reports.flatMap((report, section) =>
    distinct(report.findings).map((finding, place) => ({ section, finding, first: place === 0 })),
  );
  queue.sort((a, b) => Number(b.first) - Number(a.first) || worth(b.finding) - worth(a.finding));
  const told: string[] = [];
  let left = limits.words;
  let count = 0;
  for (const { section, finding } of queue) {
    if (count >= limits.quotations) break;
    const text = foldSpace(finding.text);
    const length = text.split(" ").length;
    if (length > left || told.some((other) => other.includes(text))) continue;
    told.push(text);
    chosen[section]!.push(finding);
    left -= length;
    count++;
  }
  return reports.map((report, at) => {
    const findings = [...chosen[at]!].sort((a, b) => b.confidence - a.confidence);
    return { question: report.question, findings, notFound: missing(report, findings) };
  });
}

const worth = (finding: MaterialFinding): number => finding.confidence;

/** The findings of one report, best first, without those that another one holds. */
function distinct(findings: readonly MaterialFinding[]): MaterialFinding[] {
  const ordered = [...findings].sort((a, b) => b.confidence - a.confidence);
  return ordered.filter((finding, at) => {
    const text = foldSpace(finding.text);
    return !ordered.some(
      (other, place) =>
        place !== at &&
        foldSpace(other.text).includes(text) &&
        (other.text.length > finding.text.length || place < at),
    );
  });
}

function missing(report: MaterialReport, findings: readonly MaterialFinding[]): string | undefined {
  if (report.notFound !== undefined) return report.notFound;
  if (report.findings.length === 0) return `Nothing was found that answers “${report.question}”.`;
  const best = Math.max(0, ...findings.map(({ confidence }) => confidence));
  return best < doubtful ? `Nothing that was read clearly answers “${report.question}”.` : undefined;
}

/** What a reader of a brief has to know. The shares are those that `npm run bench` measures. */
const howMade =
  "Made by an extractive engine, not a language model: it quotes and does not reword. Of its first quotations about " +
  "19 in 20 held the answer where the confidence was 0.8 or more, 17 in 20 from 0.6, and three in five below.";

/** Ends a synthesis with the merged sections. */
export function mergeMove(tool: ToolRole<BriefRole>, material: Material): Move {
  const sections = merge(material);
  const schema = tool.schema.parameters;
  const item = itemsOf(propertiesOf(schema)[tool.role.sections]);
  const values = sections.map((section) => {
    const ids = section.findings.map(({ id }) => id);
    const known: Record<string, unknown> = {
      question: section.question,
      title: section.question,
      heading: section.question,
      ...(section.notFound === undefined ? {} : { notFound: section.notFound }),
    };
    for (const name of ["findings", "quotations", "citations", "sources"]) {
      const shape = propertiesOf(item)[name];
      if (!isRecord(shape)) continue;
      known[name] =
        itemsOf(shape).type === "string"
          ? ids
          : section.findings.map((finding) => quoted(itemsOf(shape), finding));
    }
    return fill(item, known, section.question);
  });
  const open = sections.flatMap(({ notFound }) => notFound ?? []);
  const known = {
    note: howMade,
    [tool.role.sections]: values,
    title: material.question,
    question: material.question,
    notFound: open,
  };
  const count = sections.reduce((all, { findings }) => all + findings.length, 0);
  return {
    reasoning: `Merging ${material.reports.length} reports into ${count} quotations.`,
    calls: [{ tool: tool.name, args: fill(schema, known, material.question) }],
  };
}

const quoted = (item: Parameters<typeof quotation>[0], finding: MaterialFinding): unknown =>
  quotation(item, {
    path: finding.source,
    title: finding.source,
    heading: finding.heading,
    lines: finding.lines,
    text: finding.text,
    words: 0,
    confidence: finding.confidence,
  });
