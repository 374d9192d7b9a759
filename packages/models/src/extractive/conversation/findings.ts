import { type Exchange, isRecord } from "./exchanges.ts";

/** A place that a search named. */
export interface Hit {
  readonly source: string;
  readonly title: string;
  readonly heading: string;
  readonly lines: readonly [from: number, to: number] | undefined;
  readonly snippet: string;
  /** Place in its search, from 0. */
  readonly place: number;
}

/** Lines that were read. */
export interface Reading {
  readonly source: string;
  readonly title: string;
  readonly heading: string;
  /** Number of the first line. */
  readonly from: number;
  readonly lines: readonly string[];
  /** Lines of the whole document, where the tool said so. */
  readonly total: number | undefined;
}

/** A document that a listing named. */
export interface Listed {
  readonly source: string;
  readonly title: string;
  readonly headings: readonly string[];
}

const sourceKeys = ["path", "url", "uri", "source", "file", "id", "page"] as const;
const textKeys = ["text", "content", "body", "markdown", "extract"] as const;
const snippetKeys = ["snippet", "excerpt", "description", "summary", "text", "content"] as const;
const listKeys = ["hits", "results", "items", "matches", "pages", "documents", "files"] as const;

const stringOf = (value: Record<string, unknown>, keys: readonly string[]): string | undefined => {
  for (const key of keys) {
    const found = value[key];
    if (typeof found === "string" && found !== "") return found;
  }
  return undefined;
};

const rangeOf = (value: unknown): readonly [number, number] | undefined =>
  Array.isArray(value) && Number.isInteger(value[0]) && Number.isInteger(value[1])
    ? [value[0] as number, value[1] as number]
    : undefined;

/** The records of a result that is a list, or holds one. */
function recordsOf(value: unknown): readonly Record<string, unknown>[] | undefined {
  if (Array.isArray(value)) return value.filter(isRecord);
  if (!isRecord(value)) return undefined;
  for (const key of listKeys) {
    const list = value[key];
    if (Array.isArray(list)) return list.filter(isRecord);
  }
  return undefined;
}

/** What a search found; undefined where the result is none of a search. */
export function hitsOf(value: unknown): Hit[] | undefined {
  return recordsOf(value)?.flatMap((record, place) => {
    const source = stringOf(record, sourceKeys);
    if (source === undefined) return [];
    const title = stringOf(record, ["title", "name"]) ?? source;
    const heading = stringOf(record, ["heading", "section"]) ?? "";
    const snippet = stringOf(record, snippetKeys) ?? "";
    return [{ source, title, heading, snippet, place, lines: rangeOf(record.lines) }];
  });
}

/** What a reading gave; undefined where the result holds no text. */
export function readingOf(exchange: Exchange): Reading | undefined {
  if (exchange.outcome.type !== "value") return undefined;
  const { value } = exchange.outcome;
  const asked = stringOf(exchange.args, sourceKeys) ?? stringOf(exchange.args, ["title", "name"]);
  if (typeof value === "string") {
    return asked === undefined || value === ""
      ? undefined
      : { source: asked, title: asked, heading: "", from: 1, lines: value.split("\n"), total: undefined };
  }
  if (!isRecord(value)) return undefined;
  const text = stringOf(value, textKeys);
  const source = stringOf(value, sourceKeys) ?? asked;
  if (text === undefined || source === undefined) return undefined;
  return {
    source,
    title: stringOf(value, ["title", "name"]) ?? source,
    heading: stringOf(value, ["heading", "section"]) ?? "",
    from: rangeOf(value.lines)?.[0] ?? 1,
    lines: text.split("\n"),
    total: typeof value.total === "number" ? value.total : undefined,
  };
}

/** The documents that a listing named; undefined where the result is none. */
export function listedOf(value: unknown): Listed[] | undefined {
  return recordsOf(value)?.flatMap((record) => {
    const source = stringOf(record, sourceKeys);
    if (source === undefined) return [];
    const headings = Array.isArray(record.headings) ? record.headings : [];
    return [
      {
        source,
        title: stringOf(record, ["title", "name"]) ?? source,
        headings: headings.flatMap((heading) =>
          typeof heading === "string"
            ? [heading]
            : isRecord(heading)
              ? (stringOf(heading, ["text", "title"]) ?? [])
              : [],
        ),
      },
    ];
  });
}

/** In how many of its passages a corpus has the words of a query. */
export interface Frequencies {
  readonly passages: number;
  readonly words: readonly (readonly [word: string, passages: number])[];
}

/** What a search says about its words; undefined where it says nothing. */
export function frequenciesOf(value: unknown): Frequencies | undefined {
  if (!isRecord(value) || typeof value.passages !== "number" || !isRecord(value.frequencies))
    return undefined;
  const words = Object.entries(value.frequencies).flatMap(([word, count]) =>
    typeof count === "number" ? [[word, count] as const] : [],
  );
  return { passages: value.passages, words };
}

/** Words that a search took for others, each with what it searched for; undefined where it says nothing of such. */
export function correctionsOf(
  value: unknown,
): readonly (readonly [misspelt: string, meant: string])[] | undefined {
  if (!isRecord(value) || !isRecord(value.corrections)) return undefined;
  return Object.entries(value.corrections).flatMap(([misspelt, meant]) =>
    typeof meant === "string" ? [[misspelt, meant] as const] : [],
  );
}
