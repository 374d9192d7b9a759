import { describe, expect, it } from "vitest";
import { call } from "./in-process.ts";
import { docs, folderWith } from "./pool.ts";

const corpus = ["--corpus", "docs"];

describe("bad input", () => {
  const harness = (text: string) => ({ ...docs, "harness.yml": text });
  it.each([
    ["an empty question", docs, [...corpus, ""], "The question is empty"],
    ["a question without a word", docs, [...corpus, "?!"], "The question has no word in it."],
    ["no question", docs, corpus, "There is no question: ask one"],
    [
      "a question of 50 kB",
      docs,
      [...corpus, "why ".repeat(12_500)],
      "has 49999 characters and may have 8000",
    ],
    ["no documents set", {}, ["why?"], "There are no documents to research: set tools.corpus.path"],
    ["an empty folder", { "docs/a.bin": "\u0000\u0001" }, [...corpus, "why?"], "no documents"],
    ["a folder that is not there", {}, ["--corpus", "nowhere", "why?"], "nowhere"],
    ["an unknown model", docs, [...corpus, "--model", "extractiv", "why?"], "extractiv"],
    ["an unknown provider", docs, [...corpus, "--model", "antropic/claude", "why?"], "antropic"],
    [
      "a harness that is not there",
      docs,
      ["--file", "other.yml", "why?"],
      "other.yml:1:1: there is no such file.",
    ],
    [
      "a misspelt key",
      harness("modle: extractive"),
      ["why?"],
      "harness.yml:1:1: modle is not a key here; did you mean model?",
    ],
    [
      "an unknown guard",
      harness("defaults: { guards: { query_dedupe: false } }"),
      ["why?"],
      "harness.yml:1:23: defaults.guards.query_dedupe is not a guard of this harness; did you mean query_dedup?",
    ],
    [
      "a limit that is none",
      docs,
      [...corpus, "--budget", "maxTurns=many", "why?"],
      '--budget maxTurns=many: defaults.budget.maxTurns got "many"',
    ],
    ["a misspelt limit", docs, [...corpus, "--budget", "maxTruns=3", "why?"], "did you mean maxTurns?"],
    [
      "an effort that is none",
      docs,
      [...corpus, "--effort", "extreme", "why?"],
      "--effort: defaults.effort got",
    ],
    [
      "a part that is not built",
      harness("tools: { corpus: { path: docs }, web: {} }"),
      ["why?"],
      "harness.yml:1:34: tools.web got a map, but tools for the web are not built yet. Take the key out; until then an MCP server",
    ],
    ["an unknown flag", docs, ["--qiet", "why?"], "unknown option '--qiet'"],
  ])("%s is said in words, with exit code 2", async (_, files, args, message) => {
    const { code, stdout, stderr } = await call(["run", ...args], { cwd: folderWith(files) });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  it("is told to programs that read --json as well", async () => {
    const { code, stdout, stderr } = await call(["run", "--json", "why?"], { cwd: folderWith({}) });
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ type: "result", status: "failed", exitCode: 2 });
    expect(stderr).toContain("There are no documents");
  });
});
