import { extname } from "node:path";
import type { Operation } from "effection";
import type { DocumentKind } from "../corpus.ts";
import { decode } from "../decode.ts";
import type { FoundFile } from "../files/file-list.ts";
import { type Extracted, nothing } from "./extracted.ts";
import { markdown } from "./markdown.ts";
import { text } from "./text.ts";
import { wrapped } from "./wrap.ts";

/** A file's text, headings and title, by its kind; a file of unknown kind is read as text if it is some. */
export function* extract(file: Pick<FoundFile, "path" | "kind">, bytes: Uint8Array): Operation<Extracted> {
  const read = decode(bytes);
  if (read.type === "binary") return nothing("not text (binary)");
  const extracted = textual(file.path, file.kind, read.text);
  if (extracted.type === "text" && extracted.lines.every((line) => line.trim() === ""))
    return nothing("empty");
  return wrapped(extracted);
}

function textual(path: string, kind: DocumentKind | "unknown", value: string): Extracted {
  if (kind === "markdown") return markdown(value);
  return text(value, extname(path).toLowerCase());
}
