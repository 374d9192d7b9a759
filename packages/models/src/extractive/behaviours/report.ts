import type { Args, JsonSchema } from "@agentpool/core";
import { isRecord } from "../conversation/exchanges.ts";
import { propertiesOf, type ToolRole } from "../conversation/roles.ts";
import { inEnglish } from "../question/in-english.ts";
import type { Passage } from "../rank/select.ts";
import { fill, fits, itemsOf } from "./fill.ts";
import type { Inquiry } from "./inquire.ts";
import type { Move } from "./move.ts";

/** Below this the best passage is called no answer. */
export const doubtful = 0.3;

/** Ends an inquiry with the passages it found, verbatim, and with what it did not find. */
export function reportMove(tool: ToolRole, task: string, inquiry: Inquiry): Move {
  const missing = notFoundIn(task, inquiry);
  const result = resultOf(inquiry, missing);
  const schema = tool.schema.parameters;
  const known: Record<string, unknown> = {
    result,
    answer: result,
    summary: result,
    report: result,
    sources: [...new Set(inquiry.passages.map(({ path }) => path))],
    confidence: inquiry.passages[0]?.confidence ?? 0,
    ...(missing === undefined ? {} : { notFound: missing, not_found: missing }),
  };
  for (const name of ["findings", "quotations", "quotes", "evidence"]) {
    const list = propertiesOf(schema)[name];
    if (isRecord(list)) known[name] = inquiry.passages.map((passage) => quotation(itemsOf(list), passage));
  }
  const count = inquiry.passages.length;
  return {
    reasoning: count === 0 ? "Reporting that nothing was found." : `Reporting ${count} passages.`,
    calls: [{ tool: tool.name, args: fill(schema, known, result) }],
  };
}

/** A passage in the form a list takes: an object, or text with its source. */
export function quotation(item: JsonSchema, passage: Passage): Args | string {
  if (fits(item, "") && item.type === "string") return cited(passage);
  const { text, path, title, heading, lines, confidence } = passage;
  const known = {
    quote: text,
    text,
    quotation: text,
    path,
    source: path,
    url: path,
    title,
    heading,
    lines: [...lines],
    from: lines[0],
    to: lines[1],
    confidence,
  };
  return fill(item, known, text);
}

const cited = ({ text, path, lines }: Passage): string =>
  `“${text}” (${path}:${lines[0] === lines[1] ? lines[0] : `${lines[0]}-${lines[1]}`})`;

/** Most passages that stand in the result's text itself. */
const inResult = 2;

export function resultOf(inquiry: Inquiry, missing: string | undefined): string {
  const quoted = inquiry.passages.slice(0, inResult).map(cited);
  return [...(missing === undefined ? [] : [missing]), ...quoted].join("\n");
}

/** What was not found, in words; undefined where something likely answers. */
export function notFoundIn(
  task: string,
  { passages, searches, sources, failures }: Inquiry,
): string | undefined {
  const best = passages[0]?.confidence ?? 0;
  if (best >= doubtful) return undefined;
  const empty = searches.filter(({ hits }) => hits.length === 0).length;
  const looked = [
    searches.length === 0 ? "no search succeeded" : `${counted(searches.length, "search", "searches")} made`,
    ...(empty > 0 ? [`${empty} found nothing`] : []),
    `${counted(sources.length, "document")} read`,
    ...(failures.length > 0 ? [`${counted(failures.length, "call")} refused or failed`] : []),
  ].join(", ");
  const answer =
    passages.length === 0 ? "Nothing was found that answers" : "Nothing that was read clearly answers";
  const known = inEnglish(task)
    ? ""
    : " The engine knows English only, and the question seems to be in another language.";
  return `${answer} “${task}” (${looked}).${known}`;
}

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
