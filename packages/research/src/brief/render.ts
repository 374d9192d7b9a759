import type { Brief, BriefSection, Quotation } from "./brief.ts";
import { shorten } from "./shorten.ts";

/** A brief as Markdown. Questions that are too long for a heading are shortened wherever they are shown. */
export function renderBrief(whole: Brief): string {
  const brief = withShortQuestions(whole);
  const parts = [`# ${brief.title}`];
  if (brief.status === "partial") parts.push("*Partial: the job did not come to its end.*");
  if (brief.notices.length > 0)
    parts.push(brief.notices.map((notice) => `> ${inline(notice)}`).join("\n>\n"));
  parts.push(...brief.sections.map((section) => sectionText(section, brief)));
  if (brief.sources.length > 0) parts.push(`## Sources\n\n${brief.sources.map(sourceText).join("\n")}`);
  if (brief.notFound.length > 0) {
    parts.push(`## Not found\n\n${brief.notFound.map((what) => `- ${inline(what)}`).join("\n")}`);
  }
  if (brief.removed.length > 0) {
    const lines = brief.removed.map(
      ({ text, source, reason }) => `- ${inline(reason)}: “${shorten(text, named)}” (${code(source)})`,
    );
    parts.push(`## Removed\n\nReported, and taken out since it did not verify:\n\n${lines.join("\n")}`);
  }
  parts.push(`---\n\n${totalsText(brief)}`);
  return `${parts.join("\n\n")}\n`;
}

/** The same brief with its questions in one line each, where they stand alone and where they are repeated. */
function withShortQuestions(brief: Brief): Brief {
  const long = [...new Set([brief.question, ...brief.sections.map(({ question }) => question)])]
    .map((question) => ({ question, short: shorten(question) }))
    .filter(({ question, short }) => inline(question) !== short)
    .sort((a, b) => b.question.length - a.question.length);
  const text = (repeating: string): string =>
    long.reduce(
      (told, { question, short }) =>
        told.replaceAll(question, () => short).replaceAll(inline(question), () => short),
      repeating,
    );
  return {
    ...brief,
    title: shorten(brief.title),
    sections: brief.sections.map((section) => ({
      ...section,
      question: shorten(section.question),
      ...(section.notFound === undefined ? {} : { notFound: text(section.notFound) }),
    })),
    notFound: brief.notFound.map(text),
    notices: brief.notices.map(text),
  };
}

function sectionText({ question, quotations, answer, notFound }: BriefSection, brief: Brief): string {
  const alone = brief.sections.length === 1 && question === brief.title;
  const parts = alone ? [] : [`## ${question}`];
  if (answer !== undefined) parts.push(answer);
  if (notFound !== undefined) parts.push(`*${inline(notFound)}*`);
  parts.push(...quotations.map(quotationText));
  return parts.join("\n\n");
}

function quotationText({ text, source, title, heading, lines, confidence }: Quotation): string {
  const where = [
    code(source),
    ...(heading !== "" && heading !== title ? [inline(heading)] : []),
    lines[0] === lines[1] ? `line ${lines[0]}` : `lines ${lines[0]}–${lines[1]}`,
    ...(confidence === undefined ? [] : [`confidence ${said(confidence)}`]),
  ].join(", ");
  return `> ${literal(text)}\n>\n> — ${where}`;
}

function sourceText({ source, title, lines, quotations }: Brief["sources"][number]): string {
  const read = lines.map(([from, to]) => (from === to ? String(from) : `${from}–${to}`)).join(", ");
  const name = title === source ? code(source) : `${inline(title)} (${code(source)})`;
  return `- ${name}: read lines ${read}; ${plural(quotations, "quotation")}`;
}

function totalsText({ totals }: Brief): string {
  const { usage } = totals;
  return [
    plural(totals.agents, "agent"),
    plural(totals.turns, "turn"),
    plural(totals.toolCalls, "tool call"),
    plural(totals.refusals, "refusal"),
    `${plural(totals.searches, "search", "searches")}${totals.emptySearches > 0 ? ` (${totals.emptySearches} found nothing)` : ""}`,
    `${plural(totals.sourcesRead, "source")} read${totals.sourcesNamed > 0 ? `, ${totals.sourcesNamed} more only named by a search` : ""}`,
    `${(usage.input + usage.output).toLocaleString("en")} tokens`,
  ].join(" · ");
}

/** Two digits; what they would call nothing is little. */
const said = (confidence: number): string => (confidence < 0.01 ? "under 0.01" : confidence.toFixed(2));

const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
const inline = (text: string): string => text.replace(/\s+/g, " ").trim();
/** Characters of a quotation that is only named. */
const named = 120;
/** A code span, whatever backticks the text has. */
const code = (text: string): string => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``);
/** Words of a document that would start Markdown of their own at the beginning of a line are kept as words. */
const literal = (text: string): string => inline(text).replace(/^([#>+*-]|\d+[.)])(?=\s)/, "\\$1");
