import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { ConfigurationError } from "@agentpool/core";
import { type Operation, resource } from "effection";
import type { Corpus, CorpusConfig } from "./corpus.ts";
import { type FoundFiles, findFiles } from "./files/find-files.ts";
import { knownKinds } from "./files/kinds.ts";
import { type FreshIndex, useIndex } from "./index/use-index.ts";
import { placeOf } from "./quotation.ts";

/**
 * Opens documents for search and reading: finds the files, brings their index up to date (the first time it reads
 * them all, later only what changed), and keeps it open as long as the scope lasts.
 *
 * ```ts
 * const corpus = yield* useCorpus({ paths: ["docs", "notes/*.md"] });
 * corpus.search("how are retries limited");
 * ```
 *
 * A resource. Throws {@link ConfigurationError} where a path is not there or no document is found; everything else
 * that goes wrong with a file or with the index is a notice. Passages are found by
 * [BM25](https://en.wikipedia.org/wiki/Okapi_BM25) over stemmed words, by
 * [SQLite's FTS5](https://www.sqlite.org/fts5.html#the_bm25_function), and ordered by how the words stand together.
 */
export function useCorpus(config: CorpusConfig): Operation<Corpus> {
  return resource(function* (provide) {
    const cwd = resolve(config.cwd ?? process.cwd());
    const paths = typeof config.paths === "string" ? [config.paths] : config.paths;
    const { ignore = [], maxFileBytes = 32 * 1024 * 1024, clock = Date } = config;
    const index = config.index && config.index !== memory ? resolve(cwd, config.index) : undefined;
    const found = yield* findFiles({ paths, cwd, ignore, maxFileBytes, index });
    const fallback = () => defaultIndex(cwd, found.root, [...paths, "", ...ignore]);
    const fresh = yield* useIndex({
      path: config.index === memory ? memory : (index ?? fallback()),
      files: found.files,
      now: () => clock.now(),
      progress: config.progress,
    });
    const corpus = corpusOf(found, fresh);
    if (corpus.documents.length === 0) throw noDocuments(paths, cwd, corpus.notices);
    yield* provide(corpus);
  });
}

const memory = ":memory:";

/** One index for the same question asked of the same place. */
function defaultIndex(cwd: string, root: string, parts: readonly string[]): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([root, ...parts]))
    .digest("hex")
    .slice(0, 12);
  return join(cwd, ".pool", `corpus-${digest}.db`);
}

function corpusOf(found: FoundFiles, { reader, notices }: FreshIndex): Corpus {
  const remarks = reader.remarks();
  return {
    root: found.root,
    documents: reader.documents(),
    notices: [
      ...notices,
      ...found.notices,
      ...remarks.map(({ path, text, about }) =>
        about === "left_out" ? `${path} was left out: ${text}` : `${path}: ${text}`,
      ),
    ],
    search: (query, limit = 8) => reader.search(query, limit),
    matches: (query) => reader.matches(query),
    frequencies: (query) => reader.frequencies(query),
    corrections: (query) => reader.corrections(query),
    outline: (paths) => reader.outline(paths),
    open: (path) => reader.open(path),
    verify: ({ source, text, lines }) => {
      const document = reader.open(source);
      return document !== undefined && placeOf(document, text, lines) !== undefined;
    },
    locate: (path, text) => {
      const document = reader.open(path);
      return document && placeOf(document, text);
    },
  };
}

function noDocuments(paths: readonly string[], cwd: string, notices: readonly string[]): ConfigurationError {
  const looked = paths.length ? paths.map((path) => `"${path}"`).join(", ") : "no paths at all";
  const why = notices.slice(0, 5).map((notice) => `\n  ${notice}`);
  const more = notices.length > 5 ? `\n  and ${notices.length - 5} more` : "";
  return new ConfigurationError(
    `the corpus has no documents: looked at ${looked} in ${cwd}; it takes folders, files and globs of ${knownKinds}${why.join("")}${more}`,
  );
}
