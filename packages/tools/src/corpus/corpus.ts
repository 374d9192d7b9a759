import type { Clock } from "@agentpool/core";

/** What a corpus is made of. */
export interface CorpusConfig {
  /**
   * Folders, files and globs, absolute or relative to `cwd`. An entry that starts with `!` leaves out what it
   * matches. A folder gives every kind of document it holds; a file or a glob gives what it names, as long as it
   * can be read as text or as one of the known kinds.
   */
  readonly paths: string | readonly string[];
  /** Default: the process's working folder. */
  readonly cwd?: string;
  /**
   * The index's file, relative to `cwd`, or `:memory:`. It is made when it is not there, brought up to date when
   * it is, and may be shared by several processes. Default: `.pool/corpus-<digest>.db`.
   */
  readonly index?: string;
  /** More patterns to leave out, as in a `.gitignore`, relative to `cwd`. */
  readonly ignore?: readonly string[];
  /** Larger files are left out with a notice. Default 32 MiB. */
  readonly maxFileBytes?: number;
  /** Told now and then, while files are read into the index, how many of those that changed are done. */
  readonly progress?: (done: number, total: number) => void;
  /** Default: real time. */
  readonly clock?: Pick<Clock, "now">;
}

/**
 * Documents to search and read, as they were when the corpus was opened: a file that changes afterwards is seen by
 * the next corpus. Lines are counted from 1, ranges include both ends, paths are relative to `root` with `/`.
 */
export interface Corpus {
  /** The absolute folder that paths are relative to: `cwd`, or what all documents have in common outside it. */
  readonly root: string;
  /** In the order of their paths. */
  readonly documents: readonly DocumentInfo[];
  /** Files that were left out and why; what became of a damaged or unwritable index. */
  readonly notices: readonly string[];
  /** The passages that match best, best first. Words are stemmed; `"words in quotes"` must occur as they stand. */
  search(query: string, limit?: number): SearchHit[];
  /** How many passages match at all. */
  matches(query: string): number;
  /** How common the query's words are: what tells and what does not. */
  frequencies(query: string): Frequencies;
  /** Words of a query that no document has, each with the word that a search takes in its place. */
  corrections(query: string): Corrections;
  /** Titles and headings of these documents. Default: of all. */
  outline(paths?: readonly string[]): DocumentOutline[];
  /** A document's lines. Undefined for a path that is not in the corpus. */
  open(path: string): Document | undefined;
  /**
   * Whether the words stand in their source exactly so, within `lines` where they are given. Only white space may
   * differ, so that a quotation can cross line ends.
   */
  verify(quotation: Quotation): boolean;
  /** The lines that a verbatim quotation stands in: the first place of several. */
  locate(path: string, text: string): Lines | undefined;
}

/** In how many passages each word of a query, or the one it is taken for, occurs, of all that there are. */
export interface Frequencies {
  readonly passages: number;
  readonly words: { readonly [word: string]: number };
}

export type Corrections = { readonly [misspelt: string]: string };

/** First and last line, both included, counted from 1. */
export type Lines = readonly [from: number, to: number];

export type DocumentKind = "markdown" | "text" | "code" | "html" | "pdf" | "docx" | "epub";

export interface DocumentInfo {
  readonly path: string;
  readonly title: string;
  readonly kind: DocumentKind;
  /** How many lines it has: a file's own, or those of the text extracted from it. */
  readonly lines: number;
  /** Size of the file. */
  readonly bytes: number;
}

export interface DocumentOutline extends DocumentInfo {
  readonly headings: readonly Heading[];
}

export interface Document extends DocumentOutline {
  /** Its lines: `content[0]` is line 1. */
  readonly content: readonly string[];
}

export interface Heading {
  /** 1 is the highest. */
  readonly level: number;
  readonly text: string;
  readonly line: number;
}

export interface SearchHit {
  readonly path: string;
  readonly title: string;
  /** The nearest heading above; empty where there is none. */
  readonly heading: string;
  /** The passage. */
  readonly lines: Lines;
  /** The part of the passage that answers best, white space collapsed, `…` where it was cut. */
  readonly snippet: string;
  /** Higher is better; comparable within one search only. */
  readonly score: number;
}

export interface Quotation {
  readonly text: string;
  /** The document's path. */
  readonly source: string;
  readonly lines?: Lines;
}
