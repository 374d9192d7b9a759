import { type Args, parametersOf, type Tool, type ToolContext, validatorOf } from "@agentpool/core";
import { run } from "effection";
import { expect, test } from "vitest";
import type { Corpus } from "../corpus/corpus.ts";
import { useCorpus } from "../corpus/use-corpus.ts";
import { temporaryFolder } from "../temporary-folder.testing.ts";
import { corpusTools } from "./corpus-tools.ts";
import type { ListResult } from "./list-tool.ts";
import type { ReadResult } from "./read-tool.ts";
import type { SearchResult } from "./search-tool.ts";

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`).join("\n");

const files = {
  "docs/long.md": numbered(1, 100),
  "docs/guide.md":
    "# Guide\n\nIntroduction.\n\n## Retries\n\nA failed call is tried again.\n\n### Deeper\n\nMore.\n",
  "docs/notes/todo.txt": "buy milk",
};

/** Calls a tool as a pool does: arguments through its schema, then `execute` with what was read. */
function using(corpus: Corpus, options?: { maxChars?: number }) {
  const tools = corpusTools(corpus, options);
  const named = (name: string): Tool => tools.find((tool) => tool.name === name)!;
  const args = (name: string, given: Args): Args => validatorOf(named(name)).parse(given) as Args;
  const call = <Result>(name: string, given: Args, attended: readonly Args[] = []): Result =>
    named(name).execute(args(name, given), { attended: () => attended } as ToolContext) as Result;
  return { tools, named, args, call };
}

const withTools = (
  use: (tools: ReturnType<typeof using>) => void,
  options?: { maxChars?: number },
): Promise<void> =>
  run(function* () {
    use(using(yield* useCorpus({ cwd: temporaryFolder(files), paths: "docs", index: ":memory:" }), options));
  });

test("read gives all lines of a document that fits", () =>
  withTools(({ call }) => {
    expect(call<ReadResult>("read", { path: "docs/guide.md" })).toEqual({
      kind: "text",
      path: "docs/guide.md",
      title: "Guide",
      heading: "Guide",
      lines: [1, 11],
      text: files["docs/guide.md"].trimEnd(),
      total: 11,
    });
  }));

test("the arguments of a read become the very lines that are served", () =>
  withTools(
    ({ args }) => {
      expect(args("read", { path: "./docs/long.md" })).toEqual({ path: "docs/long.md", from: 1, to: 11 });
      expect(args("read", { path: "docs/long.md", from: 95, to: 400 })).toEqual({
        path: "docs/long.md",
        from: 95,
        to: 100,
      });
      const once = args("read", { path: "docs/long.md", from: 40 });
      expect(args("read", once)).toEqual(once);
    },
    { maxChars: 80 },
  ));

test("a document larger than the budget is cut, and the notice says how to read on", () =>
  withTools(
    ({ call }) => {
      const first = call<ReadResult>("read", { path: "docs/long.md" });
      expect(first.lines).toEqual([1, 11]);
      expect(first.total).toBe(100);
      expect(first.notice).toBe("There is more than fits: read on with from: 12 (100 lines in all).");
      expect(call<ReadResult>("read", { path: "docs/long.md", from: 3, to: 5 }).notice).toBeUndefined();
    },
    { maxChars: 80 },
  ));

test("lines that were read are trimmed at the ends and blank in between", () =>
  withTools(({ call }) => {
    const path = "docs/long.md";
    const trimmed = call<ReadResult>("read", { path, from: 1, to: 10 }, [{ path, from: 1, to: 4 }]);
    expect(trimmed.lines).toEqual([5, 10]);
    expect(trimmed.text).toBe(numbered(5, 10));
    expect(trimmed.notice).toBe("You have read lines 1–4 before: not given again.");
    const split = call<ReadResult>("read", { path, from: 1, to: 10 }, [
      { path, from: 4, to: 6 },
      { path: "docs/guide.md", from: 1, to: 9 },
    ]);
    expect(split.lines).toEqual([1, 10]);
    expect(split.text).toBe(`${numbered(1, 3)}\n\n\n\n${numbered(7, 10)}`);
    expect(split.notice).toBe("You have read lines 4–6 before: left blank here.");
  }));

test("a path that is not in the corpus is refused with the nearest known ones", () =>
  withTools(({ call }) => {
    expect(() => call("read", { path: "../../etc/passwd" })).toThrow(
      /no document "..\/..\/etc\/passwd" here\. Paths are/,
    );
    expect(() => call("read", { path: "guide.md" })).toThrow('Did you mean "docs/guide.md"?');
    expect(() => call("read", { path: "docs/giude.md" })).toThrow('Did you mean "docs/guide.md"?');
    expect(() => call("read", { path: "docs/guide.md", from: 12 })).toThrow("docs/guide.md has 11 lines");
    expect(() => call("read", { path: "docs/guide.md", from: 4, to: 2 })).toThrow("1 ≤ from ≤ to ≤ 11");
  }));

test("a search gives snippets with lines, and an empty one says so", () =>
  withTools(({ call }) => {
    const found = call<SearchResult>("search", { query: "failing calls" });
    expect(found).toMatchObject({ kind: "snippets", query: "failing calls", total: 1, documents: 3 });
    expect(found.hits[0]).toMatchObject({ path: "docs/guide.md", heading: "Retries", lines: [7, 7] });
    expect(found.frequencies).toEqual({ failing: 1, calls: 1 });
    const none = call<SearchResult>("search", { query: "zebra" });
    expect(none.hits).toEqual([]);
    expect(none.total).toBe(0);
    expect(none.notice).toMatch(/^Nothing in 3 documents matches/);
  }));

test("list gives titles and main headings, narrowed by a glob or a folder", () =>
  withTools(({ call }) => {
    const all = call<ListResult>("list", {});
    expect(all.total).toBe(3);
    expect(all.documents[0]).toEqual({
      path: "docs/guide.md",
      title: "Guide",
      lines: 11,
      headings: ["Retries", "Deeper"],
    });
    const inside = call<ListResult>("list", { glob: "docs/notes" });
    expect(inside.documents.map(({ path }) => path)).toEqual(["docs/notes/todo.txt"]);
    const some = call<ListResult>("list", { limit: 1 });
    expect(some.documents).toHaveLength(1);
    expect(some.notice).toBe("2 more documents were left out: narrow it with glob, or search.");
    expect(call<ListResult>("list", { glob: "*.pdf" }).notice).toMatch(
      /^No path matches "\*\.pdf"; there are 3/,
    );
  }));

test("a glob that could take forever is refused, and a search of any length answers", () =>
  withTools(({ call }) => {
    expect(() => call("list", { glob: "*a*a*a*a*a*a*a*b" })).toThrow("8 wildcards, at most 6");
    const found = call<SearchResult>("search", { query: `retries ${"and more ".repeat(6_000)}` });
    expect(found.hits[0]?.path).toBe("docs/guide.md");
    expect(found.query).toHaveLength(301);
  }));

test("hits that do not fit are left out with a notice", () =>
  withTools(
    ({ call }) => {
      const found = call<SearchResult>("search", { query: "line milk tried" });
      expect(found.hits.length).toBeLessThan(found.total);
      expect(found.notice).toMatch(/more hits? did not fit/);
    },
    { maxChars: 700 },
  ));

test("the tools have schemas that a model can be sent", () =>
  withTools(({ named }) => {
    expect(parametersOf(named("read"))).toMatchObject({
      type: "object",
      required: ["path"],
      properties: { path: { type: "string" }, from: { type: "integer" }, to: { type: "integer" } },
    });
    expect(parametersOf(named("search"))).toMatchObject({ required: ["query"] });
  }));
