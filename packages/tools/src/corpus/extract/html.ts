import { Parser } from "htmlparser2";
import type { Heading } from "../corpus.ts";
import type { Extracted } from "./extracted.ts";

/** What is never read out. */
const silent = new Set(
  "script style noscript template svg math nav aside footer form button select iframe object".split(" "),
);
/** What begins and ends on a line of its own; those of the second list also leave an empty line. */
const lineBlocks = new Set("li tr dt dd option caption figcaption summary".split(" "));
const paragraphs = new Set(
  (
    "p div section article main header body html h1 h2 h3 h4 h5 h6 ul ol dl table thead tbody tfoot blockquote pre hr " +
    "figure address details center"
  ).split(" "),
);

interface Line {
  readonly text: string;
  readonly isMain: boolean;
  readonly level: number | undefined;
}

/**
 * A page's text: a line for each paragraph, list item and row of a table, code as it stands. Where the page marks
 * its main part (`<main>`, `<article>`), that alone; navigation, asides and footers never.
 */
export function html(source: string): Extracted {
  const page = new PageReader();
  const parser = new Parser(page, { decodeEntities: true, lowerCaseTags: true, recognizeSelfClosing: true });
  parser.end(source);
  return page.extracted();
}

class PageReader {
  private readonly lines: Line[] = [];
  private title = "";
  private text = "";
  private silence = 0;
  private main = 0;
  private preformatted = 0;
  private level: number | undefined;
  private inTitle = false;
  private readonly open: { readonly name: string; readonly isSilent: boolean; readonly isMain: boolean }[] =
    [];

  onopentag(name: string, attributes: { readonly [name: string]: string }): void {
    const isSilent = silent.has(name) || isHidden(attributes);
    const isMain = name === "main" || name === "article" || attributes.role === "main";
    if (lineBlocks.has(name)) this.endLine();
    else if (paragraphs.has(name)) this.endParagraph();
    if (isVoid(name)) {
      if (name === "br") this.endLine();
      return;
    }
    this.open.push({ name, isSilent, isMain });
    if (isSilent) this.silence++;
    if (isMain) this.main++;
    if (name === "pre") this.preformatted++;
    if (name === "title" && !this.title) this.inTitle = true;
    if (name === "li") this.text += "- ";
    if ((name === "td" || name === "th") && this.text.trim()) this.text += " | ";
    const heading = /^h([1-6])$/.exec(name);
    if (heading) this.level = Number(heading[1]);
  }

  ontext(text: string): void {
    if (this.inTitle) this.title += text;
    else if (this.silence === 0) this.text += text;
  }

  onclosetag(name: string): void {
    const entry = this.open.at(-1)?.name === name ? this.open.pop() : undefined;
    if (lineBlocks.has(name)) this.endLine();
    else if (paragraphs.has(name)) this.endParagraph();
    if (name === "title") this.inTitle = false;
    if (/^h[1-6]$/.test(name)) this.level = undefined;
    if (!entry) return;
    if (entry.isSilent) this.silence--;
    if (entry.isMain) this.main--;
    if (name === "pre") this.preformatted--;
  }

  private endParagraph(): void {
    this.endLine();
    if (this.lines.length && this.lines.at(-1)!.text !== "")
      this.lines.push({ text: "", isMain: this.main > 0, level: undefined });
  }

  private endLine(): void {
    const lines = this.preformatted
      ? this.text.replace(/^\n|\s+$/g, "").split("\n")
      : [this.text.replace(/\s+/g, " ").trim()];
    for (const text of lines) {
      const kept = this.preformatted ? text.trimEnd() : text;
      if (kept !== "" && kept !== "-")
        this.lines.push({ text: kept, isMain: this.main > 0, level: this.level });
      else if (this.preformatted && lines.length > 1)
        this.lines.push({ text: "", isMain: this.main > 0, level: undefined });
    }
    this.text = "";
  }

  extracted(): Extracted {
    this.endLine();
    const main = this.lines.filter((line) => line.isMain);
    const kept = sizeOf(main) > sizeOf(this.lines) / 5 ? main : this.lines;
    while (kept.at(-1)?.text === "") kept.pop();
    while (kept[0]?.text === "") kept.shift();
    const headings = kept.flatMap(({ text, level }, index): Heading[] =>
      level ? [{ level, text, line: index + 1 }] : [],
    );
    const title =
      this.title.replace(/\s+/g, " ").trim() ||
      headings.find(({ level }) => level === 1)?.text ||
      headings[0]?.text;
    return { type: "text", title, lines: kept.map(({ text }) => text), headings };
  }
}

const voids = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
const isVoid = (name: string): boolean => voids.has(name);

const isHidden = (attributes: { readonly [name: string]: string }): boolean =>
  "hidden" in attributes || attributes["aria-hidden"] === "true" || attributes.role === "navigation";

const sizeOf = (lines: readonly Line[]): number => lines.reduce((sum, line) => sum + line.text.length, 0);

/** The encoding that a page declares for itself, in its first kilobytes. */
export function declaredEncoding(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 4_096));
  return (
    /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(start)?.[1] ??
    /^<\?xml[^>]+encoding=["']([\w-]+)/.exec(start)?.[1]
  );
}
