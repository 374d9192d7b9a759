import { posix } from "node:path";
import { Parser } from "htmlparser2";
import type { Heading } from "../corpus.ts";
import { decode } from "../decode.ts";
import { archive } from "./archive.ts";
import { type Extracted, nothing } from "./extracted.ts";
import { html } from "./html.ts";

/** An [EPUB](https://www.w3.org/TR/epub-33/)'s chapters in the order of its spine, one after the other. */
export function epub(bytes: Uint8Array): Extracted {
  const packed = archive(bytes, (name) => /\.(xml|opf|x?html?)$/i.test(name));
  if (packed.type === "broken") return nothing(`an EPUB that cannot be opened (${packed.reason})`);
  const textOf = (name: string): string | undefined => {
    const file = packed.files.get(name);
    const decoded = file && decode(file);
    return decoded?.type === "text" ? decoded.text : undefined;
  };
  const container = elementsOf(textOf("META-INF/container.xml") ?? "");
  const root = container.find(({ name }) => name === "rootfile")?.attributes["full-path"];
  const parcel = root === undefined ? undefined : textOf(root);
  if (root === undefined || parcel === undefined)
    return nothing("an EPUB that cannot be opened (no package document)");
  const book = packageOf(parcel);
  const lines: string[] = [];
  const headings: Heading[] = [];
  for (const href of book.spine) {
    const source = textOf(posix.join(posix.dirname(root), href));
    const chapter = source === undefined ? undefined : html(source);
    if (chapter?.type !== "text" || chapter.lines.length === 0) continue;
    if (lines.length) lines.push("");
    const before = lines.length;
    for (const heading of chapter.headings) headings.push({ ...heading, line: heading.line + before });
    for (const line of chapter.lines) lines.push(line);
  }
  if (lines.length === 0) return nothing("an EPUB without text that can be read");
  return { type: "text", title: book.title, lines, headings };
}

interface Element {
  readonly name: string;
  readonly attributes: { readonly [name: string]: string };
  text: string;
}

/** The elements of an XML document in order, without namespace prefixes. */
function elementsOf(xml: string): Element[] {
  const elements: Element[] = [];
  const open: Element[] = [];
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        const element = { name: name.replace(/^.*:/, ""), attributes, text: "" };
        elements.push(element);
        open.push(element);
      },
      ontext: (text) => {
        const inner = open.at(-1);
        if (inner) inner.text += text;
      },
      onclosetag: () => void open.pop(),
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return elements;
}

function packageOf(xml: string): { title: string | undefined; spine: string[] } {
  const elements = elementsOf(xml);
  const items = new Map(
    elements.filter(({ name }) => name === "item").map(({ attributes }) => [attributes.id, attributes.href]),
  );
  const spine = elements
    .filter(({ name }) => name === "itemref")
    .flatMap(({ attributes }) => {
      const href = items.get(attributes.idref);
      return href === undefined ? [] : [decoded(href)];
    });
  return { title: elements.find(({ name }) => name === "title")?.text.trim() || undefined, spine };
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href.replace(/#.*$/, ""));
  } catch {
    return href;
  }
}
