import { run } from "effection";
import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { pdfOf } from "../../pdf-of.testing.ts";
import type { DocumentKind, Heading } from "../corpus.ts";
import { extract } from "./extract.ts";
import type { Extracted } from "./extracted.ts";

const read = (kind: DocumentKind | "unknown", content: string | Uint8Array, path = "a"): Promise<Extracted> =>
  run(() => extract({ kind, path }, typeof content === "string" ? strToU8(content) : content));

const text = async (...args: Parameters<typeof read>) => {
  const extracted = await read(...args);
  if (extracted.type !== "text") throw new Error(`nothing: ${extracted.reason}`);
  return {
    ...extracted,
    named: extracted.headings.map(({ level, text, line }: Heading) => [level, text, line]),
  };
};

test("Markdown headings are those outside of code, with their markup taken off", async () => {
  const source = [
    "---",
    'title: "The guide"',
    "---",
    "# **Big** `code` [link](x.md) {#id}",
    "",
    "```sh",
    "# not a heading",
    "```",
    "Set above",
    "=========",
    "",
    "Also set",
    "---",
    "",
    "- a list",
    "---",
    '<h3 align="center">In <b>HTML</b></h3>',
    "    # code",
    "#hashtag",
    "## Closed ##",
  ].join("\n");
  const { title, named, lines } = await text("markdown", source);
  expect(title).toBe("The guide");
  expect(named).toEqual([
    [1, "Big code link", 4],
    [1, "Set above", 9],
    [2, "Also set", 12],
    [3, "In HTML", 17],
    [2, "Closed", 20],
  ]);
  expect(lines).toHaveLength(20);
});

test("front matter that is no YAML does no harm", async () => {
  const { title, named } = await text("markdown", "---\n: [\n---\n# Title\n");
  expect(title).toBe("Title");
  expect(named).toEqual([[1, "Title", 4]]);
});

test("titles of plain text, AsciiDoc and Org are headings", async () => {
  expect((await text("text", "Title\n=====\n\nText.\n\nPart\n----\nMore.", "a.rst")).named).toEqual([
    [1, "Title", 1],
    [2, "Part", 6],
  ]);
  expect((await text("text", "= Title\n\n== Part\n", "a.adoc")).named).toEqual([
    [1, "Title", 1],
    [2, "Part", 3],
  ]);
  expect((await text("text", "* Title\n** Part\n", "a.org")).named).toEqual([
    [1, "Title", 1],
    [2, "Part", 2],
  ]);
});

test("a page gives its main part by lines, code as it stands", async () => {
  const page = `<!doctype html><html><head><title>Docs &amp; more</title><style>p { color: red }</style></head>
    <body><nav><a href="/">Home</a></nav><header>Banner</header>
    <main><h1>Parking</h1><p>An agent   parks<br>and <b>waits</b>.</p>
    <ul><li>one</li><li>two <i>three</i></li></ul>
    <pre><code>const a = 1;

  const b = 2;</code></pre>
    <table><tr><th>key</th><th>value</th></tr><tr><td>a</td><td>1</td></tr></table>
    <script>alert("x")</script><p hidden>secret</p></main><footer>Imprint</footer></body></html>`;
  const { title, lines, named } = await text("html", page);
  expect(title).toBe("Docs & more");
  expect(named).toEqual([[1, "Parking", 1]]);
  expect(lines).toEqual([
    "Parking",
    "",
    "An agent parks",
    "and waits.",
    "",
    "- one",
    "- two three",
    "",
    "const a = 1;",
    "",
    "  const b = 2;",
    "",
    "key | value",
    "a | 1",
  ]);
});

test("a page of broken markup still gives its text, in the encoding that it declares", async () => {
  const page = '<meta charset="iso-8859-2"><p>P&lt;unclosed<p>second <i>part</p></div></b>\xb3';
  const { lines } = await text(
    "html",
    Uint8Array.from(page, (sign) => sign.charCodeAt(0)),
  );
  expect(lines).toEqual(["P<unclosed", "", "second part", "", "ł"]);
});

test("each page of a PDF is a heading over its lines", async () => {
  const { title, lines, named } = await text(
    "pdf",
    pdfOf([["First line", "second line"], ["On page two"]], "My paper"),
  );
  expect(title).toBe("My paper");
  expect(lines).toEqual(["First line", "second line", "", "On page two"]);
  expect(named).toEqual([
    [1, "Page 1", 1],
    [1, "Page 2", 4],
  ]);
});

test("broken files of every packed kind are left out with the reason", async () => {
  const whole = pdfOf([["text"]]);
  expect(await read("pdf", "not a pdf at all")).toMatchObject({
    type: "nothing",
    reason: /a PDF that cannot be opened/,
  });
  expect(await read("pdf", whole.slice(0, 40))).toMatchObject({ type: "nothing" });
  expect(await read("pdf", pdfOf([[], []]))).toEqual({
    type: "nothing",
    reason: "a PDF whose pages hold no text (scanned images?)",
  });
  expect(await read("docx", "no zip")).toMatchObject({
    type: "nothing",
    reason: expect.stringContaining("a DOCX that"),
  });
  expect(await read("docx", zipSync({ "a.txt": strToU8("x") }))).toMatchObject({ type: "nothing" });
  expect(await read("docx", zipSync({ "word/document.xml": strToU8("<broken") }))).toMatchObject({
    type: "nothing",
  });
  expect(await read("epub", "no zip")).toMatchObject({
    type: "nothing",
    reason: expect.stringContaining("an EPUB that"),
  });
  expect(await read("epub", zipSync({ "a.txt": strToU8("x") }))).toMatchObject({ type: "nothing" });
  expect(await read("markdown", new Uint8Array())).toEqual({ type: "nothing", reason: "empty" });
});

test("an archive that unpacks to far more than it is stays packed", async () => {
  const bomb = zipSync({ "word/document.xml": strToU8("x".repeat(77_777)) });
  const sizes = new DataView(bomb.buffer);
  for (let at = 0; at + 4 <= bomb.length; at++)
    if (sizes.getUint32(at, true) === 77_777) sizes.setUint32(at, 300 * 1024 * 1024, true);
  expect(await read("docx", bomb)).toMatchObject({
    type: "nothing",
    reason: expect.stringContaining("unpack to 300 MB"),
  });
});

test("a Word document's styles are its headings", async () => {
  const paragraph = (words: string, style = "") =>
    `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${words}</w:t></w:r></w:p>`;
  const body =
    paragraph("Manual", "Heading1") +
    paragraph("It works.") +
    paragraph("Setup", "Heading2") +
    paragraph("Easy.");
  const types =
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ' +
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ' +
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';
  const relations =
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" ' +
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>';
  const file = zipSync({
    "[Content_Types].xml": strToU8(types),
    "_rels/.rels": strToU8(relations),
    "word/document.xml": strToU8(
      `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
    ),
  });
  const { title, lines, named } = await text("docx", file);
  expect(title).toBe("Manual");
  expect(lines).toEqual(["Manual", "", "It works.", "", "Setup", "", "Easy."]);
  expect(named).toEqual([
    [1, "Manual", 1],
    [2, "Setup", 5],
  ]);
});

test("a book gives its chapters in the order of its spine", async () => {
  const file = zipSync({
    "META-INF/container.xml": strToU8(
      '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    ),
    "OPS/book.opf": strToU8(
      '<package xmlns:dc="x"><metadata><dc:title>The Book</dc:title></metadata><manifest><item id="b" href="b%20two.xhtml"/>' +
        '<item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
    ),
    "OPS/a.xhtml": strToU8("<html><body><h1>One</h1><p>First.</p></body></html>"),
    "OPS/b two.xhtml": strToU8("<html><body><h1>Two</h1><p>Second.</p></body></html>"),
  });
  const { title, lines, named } = await text("epub", file);
  expect(title).toBe("The Book");
  expect(lines).toEqual(["One", "", "First.", "", "Two", "", "Second."]);
  expect(named).toEqual([
    [1, "One", 1],
    [1, "Two", 5],
  ]);
});

test("a declaration begins with the comment above it", async () => {
  const source = [
    "import x from 'x';",
    "",
    "/**",
    " * Parks an agent.",
    " */",
    "export function* park(ms: number) {",
    "  return ms;",
    "}",
    "",
    "export class Pool {",
    "  /** How many. */",
    "  get size(): number {",
    "    if (x) return 1;",
    "  }",
    "}",
    "",
    "export const limit = 3;",
    "const hidden = 1;",
  ].join("\n");
  const { title, named } = await text("code", source, "src/park.ts");
  expect(title).toBe("park.ts");
  expect(named).toEqual([
    [1, "park", 3],
    [1, "Pool", 10],
    [2, "size", 11],
    [1, "limit", 17],
  ]);
  const python = "# Adds.\ndef add(a, b):\n    return a\n\nclass Sum:\n    def total(self):\n        pass\n";
  expect((await text("code", python, "sum.py")).named).toEqual([
    [1, "add", 1],
    [1, "Sum", 5],
    [2, "total", 6],
  ]);
  const go = "// Open opens.\nfunc (s *Store) Open(path string) error {\n}\n\ntype Store struct {\n}\n";
  expect((await text("code", go, "store.go")).named).toEqual([
    [1, "Open", 1],
    [1, "Store", 5],
  ]);
});

test("enormous lines are broken between words so that each can be read", async () => {
  const sentence = "The agent parks until the limit is lifted. ";
  const { lines, notice } = await text("text", `short\n${sentence.repeat(400)}\nend`);
  expect(notice).toMatch(/very long and were broken/);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(1_200);
  expect(lines.slice(1, -1).join("").trim()).toBe(sentence.repeat(400).trim());
  expect(lines[1]).toMatch(/^The agent .*lifted\. $/);
});
