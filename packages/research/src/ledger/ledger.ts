import type { Args, PoolEvent } from "@agentpool/core";
import { type FoldedLines, foldLines, foldSpace } from "./fold.ts";
import { joinLines } from "./join-lines.ts";
import { type PageSighting, sightingIn } from "./sighting.ts";

/** Checks quotations against the files themselves. A corpus of `@agentpool/tools` is one. */
export interface Verifier {
  /** Undefined for a source that it does not have: then what agents read of it has to do. */
  open(source: string): unknown;
  /** The lines that a text stands in, verbatim but for white space; undefined where it does not. */
  locate(source: string, text: string): readonly [from: number, to: number] | undefined;
}

/** A source of the run. */
export interface LedgerSource {
  readonly source: string;
  readonly title: string;
  /** Keys of the agents that read some of it; empty where it was only named by a search. */
  readonly readBy: readonly string[];
  /** Lines that were read, in order, joined where they touch. */
  readonly lines: readonly (readonly [from: number, to: number])[];
}

export interface LedgerSearch {
  readonly agent: string;
  readonly query: string;
  readonly hits: number;
}

/** What became of a quotation when it was compared with its source. */
export type Verdict =
  | {
      readonly type: "verified";
      readonly source: string;
      readonly title: string;
      /** Where it stands, whatever its reporter said. */
      readonly lines: readonly [from: number, to: number];
      readonly heading: string;
    }
  | { readonly type: "unusable"; readonly reason: Unusable };

export type Unusable =
  /** No search named the source, and nobody read it. */
  | "unknown_source"
  /** A search named it; nobody opened it. */
  | "never_read"
  /** It was read, and does not say this. */
  | "not_verbatim"
  | "empty";

export const unusable: Readonly<Record<Unusable, string>> = {
  unknown_source: "the source is not one that was found",
  never_read: "the source was only named by a search, nobody read it",
  not_verbatim: "the source does not say this word by word",
  empty: "there is nothing quoted",
};

interface Entry {
  title: string;
  readonly readBy: Set<string>;
  readonly pages: PageSighting[];
  folded: FoldedLines[] | undefined;
}

interface Pending {
  args: Args;
  value: unknown;
}

/**
 * What a run's agents read. Give it every event of the pools; ask it about every quotation.
 *
 * A result counts once it was admitted to its agent's context: refused, failed and dropped calls leave nothing here.
 * Pages that were read and sources that a search merely named are told apart.
 *
 * ```ts
 * const ledger = new Ledger({ verifier: corpus });
 * yield* agentPool({ …, onEvent: (event) => ledger.observe(event) });
 * ledger.verify({ quote: "Emma was published in 1815.", source: "emma.md" });
 * ```
 */
export class Ledger {
  readonly #verifier: Verifier | undefined;
  readonly #pending = new Map<string, Pending>();
  readonly #entries = new Map<string, Entry>();
  readonly #searches: LedgerSearch[] = [];

  constructor({ verifier }: { readonly verifier?: Verifier } = {}) {
    this.#verifier = verifier;
  }

  /** Takes note of one event. */
  observe(event: PoolEvent): void {
    switch (event.type) {
      case "call:dispatched":
        this.#pending.set(event.call, { args: event.args, value: undefined });
        break;
      case "call:settled": {
        const pending = this.#pending.get(event.call);
        if (pending === undefined) break;
        if (event.outcome.type === "ok") pending.value = event.outcome.value;
        else this.#pending.delete(event.call);
        break;
      }
      case "call:admitted": {
        const pending = this.#pending.get(event.call);
        this.#pending.delete(event.call);
        if (pending !== undefined && event.attended) this.record(event.agent, pending.args, pending.value);
        break;
      }
    }
  }

  /** Takes note of a result that an agent read. */
  record(agent: string, args: Args, value: unknown): void {
    const sighting = sightingIn(args, value);
    if (sighting.type === "search") {
      this.#searches.push({ agent, query: sighting.query, hits: sighting.hits.length });
      for (const { source, title } of sighting.hits) this.#entry(source, title);
    } else if (sighting.type === "page") {
      const entry = this.#entry(sighting.source, sighting.title);
      entry.readBy.add(agent);
      if (entry.pages.some((page) => samePage(page, sighting))) return;
      entry.pages.push(sighting);
      entry.folded = undefined;
    }
  }

  /** Whether a quotation stands in a source that somebody read, and where. */
  verify({ quote, source }: { readonly quote: string; readonly source: string }): Verdict {
    const entry = this.#find(source);
    if (entry === undefined) return { type: "unusable", reason: "unknown_source" };
    const [name, held] = entry;
    if (held.readBy.size === 0) return { type: "unusable", reason: "never_read" };
    for (const text of forms(quote)) {
      const lines = this.#locate(name, held, text);
      if (lines === undefined) continue;
      return {
        type: "verified",
        source: name,
        title: held.title,
        lines,
        heading: headingAbove(held.pages, lines[0]),
      };
    }
    return { type: "unusable", reason: foldSpace(quote) === "" ? "empty" : "not_verbatim" };
  }

  /** Everything that was read or named, in the order it was met. */
  sources(): LedgerSource[] {
    return [...this.#entries].map(([source, { title, readBy, pages }]) => ({
      source,
      title,
      readBy: [...readBy],
      lines: joinLines(pages).map(({ from, lines }) => [from, from + lines.length - 1] as const),
    }));
  }

  /** Sources that an agent read. */
  readBy(agent: string): string[] {
    return [...this.#entries].filter(([, { readBy }]) => readBy.has(agent)).map(([source]) => source);
  }

  /** Searches whose results were read. */
  searches(): readonly LedgerSearch[] {
    return this.#searches;
  }

  #entry(source: string, title: string): Entry {
    const found = this.#entries.get(source);
    if (found !== undefined) {
      if (found.title === source) found.title = title;
      return found;
    }
    const made: Entry = { title, readBy: new Set(), pages: [], folded: undefined };
    this.#entries.set(source, made);
    return made;
  }

  /** By its name, or by what a model makes of a name: `./a.md`, `a.md:3-4`, `a.md#part`. */
  #find(source: string): readonly [string, Entry] | undefined {
    const plain = source.trim().replace(/^[`"'<]+|[`"'>]+$/g, "");
    const names = [
      source,
      plain,
      plain.replace(/^\.\//, ""),
      plain.replace(/[:#][^/]*$/, "").replace(/^\.\//, ""),
    ];
    for (const name of names) {
      const entry = this.#entries.get(name);
      if (entry !== undefined) return [name, entry];
    }
    return undefined;
  }

  #locate(source: string, entry: Entry, text: string): readonly [number, number] | undefined {
    if (this.#verifier?.open(source) !== undefined) return this.#verifier.locate(source, text);
    entry.folded ??= joinLines(entry.pages).map(({ from, lines }) => foldLines(lines, from));
    for (const folded of entry.folded) {
      const at = folded.text.indexOf(text);
      if (at !== -1) return [folded.lineAt(at), folded.lineAt(at + text.length - 1)];
    }
    return undefined;
  }
}

/** The words, and the words without the quotation marks that a reporter set around them. */
function forms(quote: string): string[] {
  const folded = foldSpace(quote);
  const bare = foldSpace(folded.replace(/^["“”«'‘]+|["“”»'’]+$/g, ""));
  return [...new Set([folded, bare])].filter((text) => text !== "");
}

const samePage = (left: PageSighting, right: PageSighting): boolean =>
  left.from === right.from &&
  left.lines.length === right.lines.length &&
  left.lines.every((line, at) => line === right.lines[at]);

/** The nearest Markdown heading above a line, among the lines that were read. */
function headingAbove(pages: readonly PageSighting[], line: number): string {
  let best: { readonly at: number; readonly text: string } | undefined;
  for (const { from, lines } of pages) {
    for (let at = Math.min(line - from, lines.length - 1); at >= 0; at--) {
      const text = /^\s{0,3}#{1,6}\s+(.+?)\s*#*\s*$/.exec(lines[at]!)?.[1];
      if (text === undefined) continue;
      if (best === undefined || from + at > best.at) best = { at: from + at, text };
      break;
    }
  }
  return best?.text ?? "";
}
