import { run } from "effection";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../temporary-folder.testing.ts";
import type { Corpus } from "../corpus.ts";
import { useCorpus } from "../use-corpus.ts";
import { matchOf, parseQuery } from "./query.ts";

const match = (query: string, everywhere: readonly string[] = []) =>
  matchOf(parseQuery(query), (word) => everywhere.includes(word));

const searching = (
  files: { readonly [path: string]: string },
  use: (corpus: Corpus) => void,
): Promise<void> =>
  run(function* () {
    use(yield* useCorpus({ cwd: temporaryFolder(files), paths: ".", index: ":memory:" }));
  });

test("words are alternatives, neighbours count together, what carries no topic is left out", () => {
  expect(match("How are the retries limited in a pool?")).toBe(
    '"retries" OR "limited" OR "pool" OR "retries limited"',
  );
  expect(match("who is who")).toBe('"who" OR "is" OR "who is" OR "is who"');
  expect(match("  ?! ")).toBeUndefined();
});

test("words in quotes must occur as they stand", () => {
  expect(match('"tool call" retry')).toBe(
    '"tool call" AND ("tool" OR "call" OR "retry" OR "tool call" OR "call retry")',
  );
});

test("words that are everywhere count only next to a rarer one while others are left", () => {
  expect(match("agent pool budget agent", ["agent"])).toBe(
    '"pool" OR "budget" OR "agent pool" OR "pool budget" OR "budget agent"',
  );
  expect(match("agent pool", ["agent", "pool"])).toBe('"agent" OR "pool" OR "agent pool"');
});

test("no query breaks the search, whatever is in it", () =>
  searching({ "a.md": "alpha beta" }, (corpus) => {
    for (const query of [
      '"',
      '""',
      "'",
      "alpha AND",
      "NEAR(a b, 2)",
      "title:alpha",
      "^alpha",
      "alpha*",
      "(",
      "-alpha",
      "\0",
      "💥",
      "a".repeat(50_000),
    ])
      expect(() => corpus.search(query)).not.toThrow();
    expect(corpus.search(`${"lorem ipsum ".repeat(4_000)}`)).toEqual([]);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (query) => Array.isArray(corpus.search(query))),
      { numRuns: 300 },
    );
    expect(corpus.search("title:alpha*")).toHaveLength(1);
  }));

test("words are found by their stems, without accents, in names and across line ends", () =>
  searching(
    {
      "stem.md": "The agents were parking.",
      "accent.md": "A café in Besançon.",
      "name.ts": "export function useAbortSignal() {}",
      "broken.txt": "This is an exam-\nple of it.",
    },
    (corpus) => {
      const first = (query: string) => corpus.search(query)[0]?.path;
      expect(first("parked agent")).toBe("stem.md");
      expect(first("cafe besancon")).toBe("accent.md");
      expect(first("abort signals")).toBe("name.ts");
      expect(first("useAbortSignal")).toBe("name.ts");
      expect(first("examples")).toBe("broken.txt");
    },
  ));

test("scripts without spaces between words are found", () =>
  searching(
    { "zh.md": "代理池管理多个代理。", "ja.md": "エージェントは待機します。", "other.md": "管道" },
    (corpus) => {
      expect(corpus.search("管理").map((hit) => hit.path)[0]).toBe("zh.md");
      expect(corpus.search("待機").map((hit) => hit.path)).toEqual(["ja.md"]);
    },
  ));

test("equal passages are shown once", () =>
  searching(
    {
      "one/LICENSE": "Permission is granted.",
      "two/LICENSE": "Permission is granted.",
      "a.md": "No permission.",
    },
    (corpus) => {
      expect(
        corpus
          .search("permission")
          .map((hit) => hit.snippet)
          .sort(),
      ).toEqual(["No permission.", "Permission is granted."]);
      expect(corpus.matches("permission")).toBe(3);
    },
  ));

test("how common each word of a query is, is counted in passages and after stemming", () =>
  searching(
    { "a.md": "A call fails.", "c.md": "Another call failed.", "b.md": "Nothing to see." },
    (corpus) => {
      expect(corpus.frequencies("failing calls of zebras")).toEqual({
        passages: 3,
        words: { failing: 2, calls: 2, zebras: 0 },
      });
    },
  ));

test("words that stand together in a sentence come before the same words strewn over a page", () =>
  searching(
    {
      "strewn.md": "Stators stators here. Nothing of them. Casing, casing. More. It is attached, attached.",
      "together.md": `${"The page is about something else for a long while. ".repeat(8)}Stators are attached to it.`,
    },
    (corpus) => {
      const [first] = corpus.search("what are stators attached to");
      expect(first!.path).toBe("together.md");
    },
  ));

test("a word that nothing has is searched for as the one that was likely meant", () =>
  searching(
    {
      "a.md": "Gandhi wrote about the houses of the village.",
      "b.md": "A garden and a horse. Villages wrote letters.",
    },
    (corpus) => {
      expect(corpus.search("what Ghandi wrote")[0]?.path).toBe("a.md");
      expect(corpus.corrections("what Ghandi wrote")).toEqual({ ghandi: "gandhi" });
      expect(corpus.frequencies("Ghandi constructor letters villages")).toEqual({
        passages: 2,
        words: { ghandi: 1, constructor: 0, letters: 1, villages: 2 },
      });
      expect(corpus.corrections("gardhens in a village")).toEqual({ gardhens: "garden" });
      expect(corpus.search('"mahatma ghandi" wrote')).toEqual([]);
    },
  ));

test("words of another language are not taken for misspelt ones, nor are short ones and numbers", () =>
  searching({ "a.md": "The government of the region wrote letters in 1999 about cats." }, (corpus) => {
    expect(corpus.corrections("Welche Regierung schrieb Briefe")).toEqual({});
    expect(corpus.corrections("cets 1998 government lettar")).toEqual({ lettar: "letter" });
    expect(corpus.corrections("xxxxxxxx government")).toEqual({});
  }));
