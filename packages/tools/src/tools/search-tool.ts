import { defineTool, type Tool } from "@agentpool/core";
import { z } from "zod";
import type { Corpus, Corrections, SearchHit } from "../corpus/corpus.ts";
import { queryDedup } from "../guards/query-dedup.ts";
import { fitting } from "./fitting.ts";

/** What `search` gives. */
export interface SearchResult {
  /** Told apart from what was read: parts of passages, cut short. */
  readonly kind: "snippets";
  /** Cut short where it is very long. */
  readonly query: string;
  /** Best first. */
  readonly hits: readonly SearchHit[];
  /** How many passages match at all. */
  readonly total: number;
  /** How many documents were searched. */
  readonly documents: number;
  /** How many passages there are, and in how many of them each word of the query occurs. */
  readonly passages: number;
  readonly frequencies: { readonly [word: string]: number };
  /** Words that no document has, each with the one that was searched for in its place; absent where there are none. */
  readonly corrections?: Corrections;
  /** That nothing was found, that words were taken for others, or what was left out and how to get it. */
  readonly notice?: string;
}

/** `search`: the passages that match a query best, as snippets. Guard: `query_dedup`. */
export function searchTool(corpus: Corpus, maxChars: number): Tool {
  return defineTool({
    name: "search",
    description:
      'Searches the documents for passages. Give the words that the answer would have; words in "quotes" must occur ' +
      "exactly so. The hits are snippets: read their lines before you rely on them.",
    parameters: z.object({
      query: z.string().trim().min(1).describe("What to look for"),
      limit: z.number().int().min(1).max(250).default(8).describe("Most hits to give"),
    }),
    idempotent: true,
    hooks: { name: "search", beforeDispatch: [queryDedup()] },
    execute: ({ query, limit }): SearchResult => {
      const found = corpus.search(query, limit);
      const total = corpus.matches(query);
      const { passages, words: frequencies } = corpus.frequencies(query);
      const hits = fitting(found, maxChars);
      const corrections = corpus.corrections(query);
      const notice = noticeOf(corpus, hits.length, found.length, corrections);
      return {
        kind: "snippets",
        query: query.length > 300 ? `${query.slice(0, 300)}…` : query,
        hits,
        total,
        documents: corpus.documents.length,
        passages,
        frequencies,
        ...(Object.keys(corrections).length > 0 ? { corrections } : {}),
        ...(notice ? { notice } : {}),
      };
    },
  });
}

function noticeOf(
  corpus: Corpus,
  given: number,
  found: number,
  corrections: Corrections,
): string | undefined {
  const notices = Object.entries(corrections).map(
    ([misspelt, meant]) => `Nothing has “${misspelt}”: it was searched for as “${meant}”.`,
  );
  if (found === 0) notices.push(nothing(corpus));
  if (given < found)
    notices.push(
      `${found - given} more ${found - given === 1 ? "hit" : "hits"} did not fit and were left out: ask in more particular words to see others.`,
    );
  return notices.length === 0 ? undefined : notices.join(" ");
}

const nothing = ({ documents }: Corpus): string =>
  `Nothing in ${documents.length} documents matches. That is not evidence of anything: try other words, ` +
  "fewer words, or list to see what there is.";
