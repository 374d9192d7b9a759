import { extname } from "node:path";
import type { Operation } from "effection";
import type { DocumentKind } from "../corpus.ts";
import { decode } from "../decode.ts";
import type { FoundFile } from "../files/file-list.ts";
import { messageOf } from "../message-of.ts";
import { code } from "./code.ts";
import { docx } from "./docx.ts";
import { epub } from "./epub.ts";
import { type Extracted, nothing } from "./extracted.ts";
import { declaredEncoding, html } from "./html.ts";
import { markdown } from "./markdown.ts";
import { pdf } from "./pdf.ts";
import { text } from "./text.ts";
import { wrapped } from "./wrap.ts";

/**
 * A file's text, headings and title, by its kind; a file of unknown kind is read as text if it is some. A file that
 * can't be read as what it should be is `nothing`, with the reason: this never throws.
 */
export function* extract(file: Pick<FoundFile, "path" | "kind">, bytes: Uint8Array): Operation<Extracted> {
  if (bytes.length === 0) return nothing("empty");
  const extracted = yield* attempted(file, bytes);
  if (extracted.type === "text" && extracted.lines.every((line) => line.trim() === ""))
    return nothing("empty");
  return wrapped(extracted);
}

function* attempted(file: Pick<FoundFile, "path" | "kind">, bytes: Uint8Array): Operation<Extracted> {
  try {
    return yield* byKind(file, bytes);
  } catch (error) {
    return nothing(
      `it cannot be read as ${file.kind === "unknown" ? "text" : file.kind} (${messageOf(error)})`,
    );
  }
}

function* byKind({ path, kind }: Pick<FoundFile, "path" | "kind">, bytes: Uint8Array): Operation<Extracted> {
  if (kind === "pdf") return yield* pdf(bytes);
  if (kind === "docx") return yield* docx(bytes);
  if (kind === "epub") return epub(bytes);
  const read = decode(bytes, kind === "html" ? declaredEncoding(bytes) : undefined);
  return read.type === "binary" ? nothing("not text (binary)") : textual(path, kind, read.text);
}

function textual(
  path: string,
  kind: Exclude<DocumentKind, "pdf" | "docx" | "epub"> | "unknown",
  value: string,
): Extracted {
  if (kind === "markdown") return markdown(value);
  if (kind === "html") return html(value);
  if (kind === "code") return code(value, path);
  return text(value, extname(path).toLowerCase());
}
