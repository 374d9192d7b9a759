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
    ["/** Opens a pool.", true],
    ["open(user: string): void;", false],
    ["/** Closes it, ever.", true],
    ["close(): void;", false],
  ]);
});
