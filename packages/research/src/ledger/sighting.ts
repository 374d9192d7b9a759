import type { Args } from "@agentpool/core";

/** Lines of a source that an agent read. */
export interface PageSighting {
  readonly type: "page";
  readonly source: string;
  readonly title: string;
  readonly from: number;
  readonly lines: readonly string[];
}

/** A search and the sources that it named. */
export interface SearchSighting {
  readonly type: "search";
  readonly query: string;
  readonly hits: readonly { readonly source: string; readonly title: string }[];
}

export type Sighting = PageSighting | SearchSighting | { readonly type: "nothing" };

const sourceKeys = ["path", "url", "uri", "source", "file", "page", "title"];
const textKeys = ["text", "content", "body", "markdown", "extract"];
const hitKeys = ["hits", "results", "matches", "items"];
const queryKeys = ["query", "q", "search"];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function firstString(record: Record<string, unknown>, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = record[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

/** What a tool's result showed its reader: a page, a search's hits, or nothing that could be quoted. */
export function sightingIn(args: Args, value: unknown): Sighting {
  const asked = firstString(args, sourceKeys);
  if (typeof value === "string" && asked !== undefined) {
    return { type: "page", source: asked, title: asked, from: 1, lines: value.split("\n") };
  }
  if (!isRecord(value)) return { type: "nothing" };
  for (const key of hitKeys) {
    const list = value[key];
    if (!Array.isArray(list)) continue;
    const hits = list.filter(isRecord).flatMap((hit) => {
      const source = firstString(hit, sourceKeys);
      return source === undefined ? [] : [{ source, title: firstString(hit, ["title", "name"]) ?? source }];
    });
    return { type: "search", query: firstString(args, queryKeys) ?? "", hits };
  }
  const text = firstString(value, textKeys);
  const source = firstString(value, sourceKeys) ?? asked;
  if (text === undefined || source === undefined) return { type: "nothing" };
  const range = Array.isArray(value.lines) ? value.lines[0] : undefined;
  return {
    type: "page",
    source,
    title: firstString(value, ["title", "name"]) ?? source,
    from: typeof range === "number" && Number.isInteger(range) && range > 0 ? range : 1,
    lines: text.split("\n"),
  };
}
