import { ensure, type Operation, scoped, until } from "effection";
import type { PDFDocumentProxy, PDFPageProxy } from "unpdf/pdfjs";
import type { Heading } from "../corpus.ts";
import { messageOf } from "../message-of.ts";
import { type Extracted, nothing } from "./extracted.ts";

/**
 * A PDF's text by [PDF.js](https://mozilla.github.io/pdf.js/): each page a heading, lines as they are set, an empty
 * line where there is a gap between paragraphs.
 */
export function pdf(bytes: Uint8Array): Operation<Extracted> {
  return scoped(function* () {
    const { getDocumentProxy } = yield* until(import("unpdf"));
    let document: PDFDocumentProxy;
    try {
      // It takes the bytes over, so it gets a copy.
      document = yield* until(getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 }));
    } catch (error) {
      return nothing(`a PDF that cannot be opened (${messageOf(error)})`);
    }
    yield* ensure(() => until(document.destroy()));
    return yield* pagesOf(document);
  });
}

function* pagesOf(document: PDFDocumentProxy): Operation<Extracted> {
  const lines: string[] = [];
  const headings: Heading[] = [];
  const broken: number[] = [];
  let empty = 0;
  for (let number = 1; number <= document.numPages; number++) {
    let page: string[];
    try {
      page = yield* linesOf(yield* until(document.getPage(number)));
    } catch {
      broken.push(number);
      continue;
    }
    if (page.length === 0) {
      empty++;
      continue;
    }
    if (lines.length) lines.push("");
    headings.push({ level: 1, text: `Page ${number}`, line: lines.length + 1 });
    for (const line of page) lines.push(line);
  }
  if (lines.length === 0)
    return nothing(
      broken.length ? "a PDF whose pages cannot be read" : "a PDF whose pages hold no text (scanned images?)",
    );
  const notice = [
    broken.length ? `page ${broken.slice(0, 10).join(", ")} cannot be read` : "",
    empty ? `${empty} of ${document.numPages} pages hold no text` : "",
  ].filter(Boolean);
  return {
    type: "text",
    title: yield* titleOf(document),
    lines,
    headings,
    ...(notice.length ? { notice: notice.join("; ") } : {}),
  };
}

function* linesOf(page: PDFPageProxy): Operation<string[]> {
  const { items } = yield* until(page.getTextContent());
  const lines: string[] = [];
  let text = "";
  let last: { y: number; height: number } | undefined;
  const endLine = () => {
    const line = text.replace(/\s+/g, " ").trim();
    if (line) lines.push(line);
    text = "";
  };
  for (const item of items) {
    if (!("str" in item)) continue;
    const y = Number(item.transform[5]);
    if (item.str.trim() !== "") {
      const gap = last && last.y - y;
      // Text that jumps without an end of line: another column, a table's cell, a heading.
      if (gap !== undefined && Math.abs(gap) > last!.height * 0.5 && text !== "") endLine();
      if (
        gap !== undefined &&
        (gap > last!.height * 1.9 || gap < -last!.height) &&
        text === "" &&
        lines.length
      )
        if (lines.at(-1) !== "") lines.push("");
      last = { y, height: item.height || 10 };
    }
    text += item.str;
    if (item.hasEOL) endLine();
  }
  endLine();
  page.cleanup();
  while (lines.at(-1) === "") lines.pop();
  return lines;
}

function* titleOf(document: PDFDocumentProxy): Operation<string | undefined> {
  try {
    const { info } = yield* until(document.getMetadata());
    const title = (info as { Title?: unknown }).Title;
    return typeof title === "string" && title.trim() ? title.replace(/\s+/g, " ").trim() : undefined;
  } catch {
    return undefined;
  }
}
