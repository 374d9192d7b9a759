export type * from "./corpus/corpus.ts";
export { useCorpus } from "./corpus/use-corpus.ts";
export * from "./guards/query-dedup.ts";
export * from "./guards/url-dedup.ts";
export * from "./tools/corpus-tools.ts";
export type { ListedDocument, ListResult } from "./tools/list-tool.ts";
export type { ReadResult } from "./tools/read-tool.ts";
export type { SearchResult } from "./tools/search-tool.ts";
