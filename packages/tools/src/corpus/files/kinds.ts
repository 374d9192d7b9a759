import { basename, extname } from "node:path";
import type { DocumentKind } from "../corpus.ts";

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

/**
 * The kind of document that a file's name promises. Undefined: nothing is known, or it is none by its name (lock
 * files, source maps, minified and compiled code); a folder leaves it out, a glob or a name takes it if it is text.
 */
export function kindOf(path: string): DocumentKind | undefined {
  const name = basename(path);
  if (noise.test(name)) return undefined;
  return kinds.get(extname(name).toLowerCase()) ?? (textNames.test(name) ? "text" : undefined);
}

/** What a folder gives, for messages. */
export const knownKinds = "Markdown, text, HTML, PDF, DOCX, EPUB and source files";
