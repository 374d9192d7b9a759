import type { Args } from "@agentpool/core";
import type { Exchange } from "../conversation/exchanges.ts";
import {
  correctionsOf,
  frequenciesOf,
  type Hit,
  hitsOf,
  type Listed,
  listedOf,
  type Reading,
  readingOf,
} from "../conversation/findings.ts";
import { libraryOf } from "../conversation/library.ts";
import type { ReadRole, SearchRole, ToolRole } from "../conversation/roles.ts";
import { corrected } from "../question/corrected.ts";
import { queries } from "../question/queries.ts";
import { type Query, query } from "../question/query.ts";
import { type Hints, hintsOf } from "../rank/hints.ts";
import { type Ranked, rank } from "../rank/rank.ts";
import { type Passage, select } from "../rank/select.ts";
import type { Settings } from "../settings.ts";
import { words } from "../text/words.ts";
import type { Move } from "./move.ts";
import { promising } from "./promising.ts";

export interface InquiryView {
  readonly task: string;
  readonly exchanges: readonly Exchange[];
  readonly search: ToolRole<SearchRole> | undefined;
  readonly read: ToolRole<ReadRole> | undefined;
  readonly list: ToolRole | undefined;
  readonly settings: Settings;
}

/** What an inquiry has so far. */
export interface Inquiry {
  readonly query: Query;
  /** Every sentence that was read. */
  readonly judged: readonly Ranked[];
  /** Best first. */
  readonly passages: readonly Passage[];
  /** Queries that were searched for with a result, and what they found. */
  readonly searches: readonly { readonly query: string; readonly hits: readonly Hit[] }[];
  readonly listed: readonly Listed[];
  /** What the searches told about words and passages. */
  readonly hints: Hints;
  /** Calls that gave nothing: refused, failed, or not understood. */
  readonly failures: readonly Exchange[];
  /** Sources that were read. */
  readonly sources: readonly string[];
}

const limits = {
  /** Hits asked for, where the tool takes a number. */
  hits: 60,
  /** Documents opened by their titles, where no search helped. */
  browsed: 3,
  /** Lines read around a hit, on both sides. */
  margin: 25,
  /** Searches, successful or not. */
  searches: 3,
  /** With an answer this likely no further search is made. */
  sure: 0.5,
} as const;

/** What the conversation holds for the question. */
export function inquiryOf(view: InquiryView): Inquiry {
  const done = view.exchanges.filter((exchange) => exchange.outcome.type !== "open");
  const of = (tool: ToolRole | undefined): Exchange[] =>
    tool === undefined ? [] : done.filter((exchange) => exchange.tool === tool.name);
  const failures: Exchange[] = [];
  const searches = of(view.search).flatMap((exchange) => {
    const hits = exchange.outcome.type === "value" ? hitsOf(exchange.outcome.value) : undefined;
    if (hits === undefined) {
      failures.push(exchange);
      return [];
    }
    return [{ query: String(exchange.args[view.search!.role.query] ?? ""), hits }];
  });
  const corrections = of(view.search).flatMap(({ outcome }) =>
    outcome.type === "value" ? (correctionsOf(outcome.value) ?? []) : [],
  );
  const asked = query(corrected(view.task, corrections));
  const frequencies = of(view.search).flatMap(({ outcome }) =>
    outcome.type === "value" ? (frequenciesOf(outcome.value) ?? []) : [],
  );
  const hints = hintsOf(
    searches.map(({ hits }) => hits),
    frequencies,
  );
  const readings = of(view.read).flatMap((exchange) => {
    const reading = readingOf(exchange);
    if (reading === undefined) failures.push(exchange);
    return reading ?? [];
  });
  const listed = of(view.list).flatMap((exchange) =>
    exchange.outcome.type === "value" ? (listedOf(exchange.outcome.value) ?? []) : [],
  );
  const sources = [...new Set(readings.map((reading: Reading) => reading.source))];
  const { weights, selection } = view.settings;
  const judged = rank(asked, libraryOf(readings), weights, hints);
  const passages = select(judged, selection);
  return { query: asked, judged, passages, searches, listed, hints, failures, sources };
}

/** The next searches or readings; undefined when there is nothing better to do than to report. */
export function inquireMove(view: InquiryView, inquiry: Inquiry): Move | undefined {
  const best = inquiry.passages[0]?.confidence ?? 0;
  const searched = view.search ? view.exchanges.filter(({ tool }) => tool === view.search!.name) : [];
  const last = inquiry.searches.at(-1);
  const opened = last === undefined ? undefined : opening(view, inquiry, last.hits);
  // What the latest search found is looked at before anything else is tried.
  if (opened && !lookedAt(view, searched.at(-1)!)) return opened;
  if (best >= limits.sure) return undefined;
  if (view.search && searched.length < limits.searches) {
    const { role, name } = view.search;
    const tried = new Set(searched.map(({ args }) => canonical(String(args[role.query] ?? ""))));
    const next = queries(inquiry.query).find((candidate) => !tried.has(canonical(candidate)));
    if (next !== undefined) {
      const reasoning =
        searched.length === 0
          ? `Searching for: ${next}`
          : `Not sure enough yet (${best}). Searching for: ${next}`;
      const limit = role.limit && { [role.limit.name]: Math.min(limits.hits, role.limit.most) };
      return { reasoning, calls: [{ tool: name, args: { [role.query]: next, ...limit } }] };
    }
  }
  return opened ?? browse(view, inquiry);
}

const canonical = (text: string): string =>
  words(text)
    .map(({ plain }) => plain)
    .join(" ");

/** Whether something was read since a search. */
const lookedAt = (view: InquiryView, search: Exchange): boolean =>
  view.exchanges.slice(view.exchanges.indexOf(search) + 1).some(({ tool }) => tool === view.read?.name);

/** Opens the documents that a search's hits speak for, where they were not tried yet. */
function opening(view: InquiryView, inquiry: Inquiry, hits: readonly Hit[]): Move | undefined {
  if (view.read === undefined) return undefined;
  const calls: { tool: string; args: Args }[] = [];
  let opened = 0;
  for (const source of promising(inquiry.query, hits, view.settings.weights, inquiry.hints)) {
    const fresh = readings(view, source, hits).filter((args) => !tried(view, args));
    if (fresh.length === 0) continue;
    opened++;
    for (const args of fresh) calls.push({ tool: view.read.name, args });
  }
  return calls.length === 0 ? undefined : { reasoning: `Opening ${plural(opened, "document")}.`, calls };
}

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

/** The arguments of the readings that show a source's hits with what stands around them. */
function readings(view: InquiryView, source: string, hits: readonly Hit[]): Args[] {
  const { role } = view.read!;
  const ranges = hits.flatMap((hit) => (hit.source === source && hit.lines ? [hit.lines] : []));
  if (!role.ranged || ranges.length === 0) return [{ [role.source]: source }];
  const wide = ranges
    .map(([from, to]) => ({ from: Math.max(1, from - limits.margin), to: to + limits.margin }))
    .sort((a, b) => a.from - b.from);
  const merged: { from: number; to: number }[] = [];
  for (const range of wide) {
    const open = merged.at(-1);
    if (open && range.from <= open.to + 1) open.to = Math.max(open.to, range.to);
    else merged.push({ ...range });
  }
  return merged.map(({ from, to }) => ({ [role.source]: source, from, to }));
}

/** Whether these lines were asked for, whatever came of it. */
function tried(view: InquiryView, args: Args): boolean {
  const { role, name } = view.read!;
  return view.exchanges.some((exchange) => {
    if (exchange.tool !== name || exchange.args[role.source] !== args[role.source]) return false;
    const from = numberOr(exchange.args.from, 1);
    const to = numberOr(exchange.args.to, Number.POSITIVE_INFINITY);
    return from <= numberOr(args.from, 1) && to >= numberOr(args.to, Number.POSITIVE_INFINITY);
  });
}

const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === "number" ? value : otherwise;

/** Where no search helps: the listed documents whose titles and headings share the question's terms. */
function browse(view: InquiryView, inquiry: Inquiry): Move | undefined {
  if (view.list === undefined || view.read === undefined) return undefined;
  if (inquiry.searches.some(({ hits }) => hits.length > 0)) return undefined;
  if (!view.exchanges.some(({ tool }) => tool === view.list!.name)) {
    return {
      reasoning: "No search helped. Looking at the list.",
      calls: [{ tool: view.list.name, args: {} }],
    };
  }
  const terms = new Set(inquiry.query.terms.map(({ stem }) => stem));
  const fresh = inquiry.listed
    .map((document) => ({
      source: document.source,
      shared: words([document.title, ...document.headings].join(" ")).filter(({ stem }) => terms.has(stem))
        .length,
    }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
    .map(({ source }) => ({ [view.read!.role.source]: source }))
    .filter((args) => !tried(view, args))
    .slice(0, limits.browsed);
  if (fresh.length === 0) return undefined;
  return {
    reasoning: "Opening documents whose titles fit.",
    calls: fresh.map((args) => ({ tool: view.read!.name, args })),
  };
}
