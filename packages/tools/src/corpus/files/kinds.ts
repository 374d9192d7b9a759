import { basename, extname } from "node:path";
import type { DocumentKind } from "../corpus.ts";

/** What a file's name says about it. */
export type FileKind =
  | { readonly type: "document"; readonly kind: DocumentKind }
  /** Not a document by its name: lock files, source maps, minified and compiled code. */
  | { readonly type: "noise" }
  /** Nothing known: a folder leaves it out, a glob or a name takes it if it is text. */
  | { readonly type: "unknown" };

const extensions: { readonly [kind in DocumentKind]: string } = {
  markdown: "md mdx markdown mdown mkd qmd",
  text: "txt text rst adoc asciidoc org log tex",
  code:
    "ts tsx mts js jsx mjs py pyi rb go rs java kt kts scala c h cc cpp cxx hpp hh cs fs swift m mm php pl pm lua r jl " +
    "ex exs erl hs ml mli clj cljs dart zig nim sh bash zsh ps1 sql proto graphql gql vue svelte",
  html: "html htm xhtml",
  pdf: "pdf",
  docx: "docx",
  epub: "epub",
};

const kinds: ReadonlyMap<string, DocumentKind> = new Map(
  Object.entries(extensions).flatMap(([kind, list]) =>
    list.split(" ").map((extension) => [`.${extension}`, kind as DocumentKind] as const),
  ),
);

const noise = /(\.min\.\w+|\.map|\.cjs|\.d\.[cm]ts|\.lock|-lock\.\w+|\.tsbuildinfo)$/i;
const textNames =
  /^(readme|license|licence|copying|notice|authors|changelog|changes|contributing|todo|news)$/i;

/** The kind of document that a file's name promises. */
export function kindOf(path: string): FileKind {
  const name = basename(path);
  if (noise.test(name)) return { type: "noise" };
  const kind = kinds.get(extname(name).toLowerCase()) ?? (textNames.test(name) ? "text" : undefined);
  return kind ? { type: "document", kind } : { type: "unknown" };
}

/** The extensions that a folder gives, for messages. */
export const knownKinds = "Markdown, text, HTML, PDF, DOCX, EPUB and source files";
