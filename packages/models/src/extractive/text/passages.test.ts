import * as fc from "fast-check";
import { expect, test } from "vitest";
import { foldSpace, passages } from "./passages.ts";

const quoted = (text: string, first = 1) =>
  passages(text.split("\n"), first).flatMap(({ headings, sentences }) =>
    sentences.map((sentence) => [sentence.text, sentence.from, sentence.to, headings.join(" > ")]),
  );

test("a sentence knows its lines and the headings above it", () => {
  const text =
    "# Guide\n\nOne starts here\nand ends here. Two.\n\n## Retries\n\nThree.\n\n## Limits\n\nFour.";
  expect(quoted(text)).toEqual([
    ["One starts here and ends here.", 3, 4, "Guide"],
    ["Two.", 4, 4, "Guide"],
    ["Three.", 8, 8, "Guide > Retries"],
    ["Four.", 12, 12, "Guide > Limits"],
  ]);
});

test("lines are counted from where the reading began", () => {
  expect(quoted("One.\n\nTwo.", 40)).toEqual([
    ["One.", 40, 40, ""],
    ["Two.", 42, 42, ""],
  ]);
});

test("list items, rows of tables and code are blocks of their own; rules and front matter are none", () => {
  const text =
    "---\ntitle: X\n---\n- first item\n- second item\n\n| a | b |\n|---|---|\n| c | d |\n\n```js\nlet a = 1;\n```\n";
  expect(quoted(text).map(([sentence]) => sentence)).toEqual([
    "first item",
    "second item",
    "| a | b |",
    "| c | d |",
    "let a = 1;",
  ]);
});

test("whatever the text, every sentence stands in it word by word", () => {
  const word = fc.constantFrom(
    "One",
    "two",
    "3.5",
    "Mr.",
    "end.",
    "What?",
    "(see",
    "fig.",
    "2)",
    "-",
    "#",
    "|",
    "```",
    "“so”",
    "é",
  );
  const line = fc.array(word, { maxLength: 8 }).map((list) => list.join(" "));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const whole = foldSpace(lines.join("\n"));
      for (const { sentences } of passages(lines)) {
        for (const { text, from, to } of sentences) {
          expect(whole).toContain(text);
          expect(foldSpace(lines.slice(from - 1, to).join("\n"))).toContain(text);
        }
      }
    }),
  );
});

test("a comment of a program and the code beside it are no sentence together", () => {
  const lines = [
    "/** Opens a pool.",
    " */",
    "open(user: string): void;",
    "/** Closes it, ever. */",
    "close(): void;",
  ];
  const said = passages(lines).flatMap(({ sentences }) => sentences.map(({ text, prose }) => [text, prose]));
  expect(said).toEqual([
    ["Opens a pool.", true],
    ["open(user: string): void;", false],
    ["Closes it, ever.", true],
    ["close(): void;", false],
  ]);
});

test("a sentence of a comment goes on over its lines, and is quoted as it stands", () => {
  const lines = [
    "/**",
    " * Ends what is open and closes. The file's descriptors go once the statements are",
    " * collected as garbage.",
    " *",
    " * - An item of a list.",
    " * ```ts",
    " * close(index);",
    " * ```",
    " * @param index what",
    " *   is open",
    " */",
    "export function close(index) {",
    "// One thing that a line",
    "// can't hold.",
    "}",
  ];
  const blocks = passages(lines);
  const texts = blocks.flatMap(({ kind, sentences }) =>
    sentences.map(({ text, from, to }) => [kind, text, from, to]),
  );
  expect(texts).toEqual([
    ["prose", "Ends what is open and closes.", 2, 2],
    ["prose", "The file's descriptors go once the statements are * collected as garbage.", 2, 3],
    ["item", "An item of a list.", 5, 5],
    ["code", "* close(index);", 7, 7],
    ["prose", "@param index what * is open", 9, 10],
    ["prose", "export function close(index) {", 12, 12],
    ["prose", "One thing that a line // can't hold.", 13, 14],
  ]);
  const whole = foldSpace(lines.join("\n"));
  for (const [, text] of texts) expect(whole).toContain(text);
});

test("a star begins a list outside a comment", () => {
  expect(passages(["* One.", "* Two."]).map(({ kind }) => kind)).toEqual(["item", "item"]);
});
