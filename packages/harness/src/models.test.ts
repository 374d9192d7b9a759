import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { folderWith } from "./folder-with.testing.ts";
import { loadHarness } from "./load-harness.ts";
import { modelsOf, useModels } from "./models.ts";

const env = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o" };
const harness = (text: string, files: Record<string, string> = {}) =>
  loadHarness({ cwd: folderWith({ "harness.yml": text, ...files }) });

/** What is made for each of `asked`. */
const ids = (text: string, ...asked: string[]): string[] => {
  const models = modelsOf(harness(text), { env });
  return asked.map((name) => models.modelFor(name).id);
};

describe("the models of a harness", () => {
  it("are those of the most specific route that matches, else `model`", () => {
    const text = [
      "model: ollama/one",
      "models:",
      "  review.*: ollama/reviews",
      "  review.tools: { model: ollama/tools, temperature: 0 }",
      "  research: [anthropic/claude-x, ollama/two]",
    ].join("\n");
    expect(ids(text, "*", "plan", "review.rules", "review.tools", "research")).toEqual([
      "ollama/one",
      "ollama/one",
      "ollama/reviews",
      "ollama/tools",
      "anthropic/claude-x | ollama/two",
    ]);
    expect(ids("models: { '*': ollama/all }", "plan", "*", "a.b")).toEqual([
      "ollama/all",
      "ollama/all",
      "ollama/all",
    ]);
  });

  it("depend on defaults.effort where a route has a condition", () => {
    const text = (effort: string) =>
      `defaults: { effort: ${effort} }\nmodels: { "plan[effort>=high]": ollama/hard, plan: ollama/easy }`;
    expect(ids(text("high"), "plan")).toEqual(["ollama/hard"]);
    expect(ids(text("medium"), "plan")).toEqual(["ollama/easy"]);
  });

  it("are made once for what has one route", () => {
    const models = modelsOf(harness("models: { plan: { model: extractive, temperature: 0 } }"));
    expect(models.modelFor("research")).toBe(models.modelFor("synthesis"));
    expect(models.modelFor("plan")).not.toBe(models.modelFor("research"));
  });

  it("have the settings of their route, price and window among them", () => {
    const models = modelsOf(
      harness(
        "models: { plan: { model: ollama/x, contextWindow: 4096, price: { input: 1, output: 2 }, timeoutMs: 1000, emulate: [toolChoice] } }",
      ),
    );
    expect(models.modelFor("plan")).toMatchObject({ contextWindow: 4_096, price: { input: 1, output: 2 } });
  });
});

describe("what is wrong with them", () => {
  it.each([
    [
      "a tie, with the places of both routes",
      'models:\n  "a.*": extractive\n  "*.b": extractive\n  a.b.c: extractive\n  "a.b[effort=medium]": extractive\n  "a.b[effort>min]": extractive',
      /harness\.yml:5:3: .*match a\.b equally well.*\nharness\.yml:6:3: /,
    ],
    [
      "a key that is no route",
      'models:\n  "plan[effort>loud]": extractive',
      /harness\.yml:2:3: .*is no route/,
    ],
  ])("is said when the file is loaded: %s", (_, text, message) => {
    expect(() => harness(text)).toThrow(message);
  });

  it.each([
    [
      "a model that is not known",
      "model: extractiv",
      "*",
      'harness.yml:1:8: model: "extractiv" is not known',
    ],
    [
      "one of a list that is not known",
      "models:\n  plan:\n    - extractive\n    - olama/x",
      "plan",
      'harness.yml:4:7: model: "olama/x" is not known; did you mean "ollama/x"?',
    ],
    [
      "a key that is missing",
      "models: { plan: openai/x }",
      "plan",
      "harness.yml:1:17: model: openai/x needs a key, and OPENAI_API_KEY is not set",
    ],
    [
      "a model file that is missing",
      "models: { plan: llama:models/none.gguf }",
      "plan",
      /harness\.yml:1:17: model: llama:models\/none\.gguf: there is no file .*models\/none\.gguf; `pool models pull/,
    ],
    [
      "a setting that models in this process do not have",
      "models: { plan: { model: llama:x.gguf, reasoning: low } }",
      "plan",
      "harness.yml:1:17: model: llama:x.gguf: has no setting reasoning",
    ],
  ])("is said with its place when it is asked for: %s", (_, text, asked, message) => {
    expect(() => modelsOf(harness(text), { env: {} }).modelFor(asked)).toThrow(message);
  });

  it("is not asked for where another route gives the model", () => {
    const models = modelsOf(harness("model: openai/x\nmodels: { '*': extractive }"), { env: {} });
    expect(models.modelFor("plan").id).toBe("extractive");
  });
});

it("are said to be asked for by nothing where a route is nearly one that is, unless a program may ask", () => {
  const text =
    "models: { reserch: extractive, summaries: extractive, 'review.tool[effort>=high]': extractive }";
  expect(harness(text).notices).toEqual([
    "harness.yml:1:11: models.reserch is asked for by nothing; did you mean research?",
    "harness.yml:1:55: models.review.tool[effort>=high] is asked for by nothing; did you mean review.tools?",
  ]);
  expect(harness(`program: ./x.ts\n${text}`).notices).toEqual([]);
});

it("starts a path of llama: from the folder of the file that says it, and a flag's from where it was called", () => {
  const folder = folderWith({ "harness.yml": "model: llama:m.gguf", "m.gguf": `GGUF\x03${"\0".repeat(19)}` });
  const elsewhere = join(folder, "inner");
  mkdirSync(elsewhere);
  const file = join(folder, "harness.yml");
  expect(modelsOf(loadHarness({ cwd: elsewhere, file })).modelFor("*").id).toBe("llama:m.gguf");
  const flags = [
    { origin: { type: "flag", name: "--model" } as const, path: ["model"], value: "llama:m.gguf" },
  ];
  expect(() => modelsOf(loadHarness({ cwd: elsewhere, file, flags })).modelFor("*")).toThrow(
    `--model: model: llama:m.gguf: there is no file ${elsewhere}`,
  );
});

it("frees what models hold when its scope ends, and can be asked in many scopes", () =>
  run(function* () {
    const loaded = harness("model: extractive");
    const models = yield* useModels(loaded);
    expect(models.modelFor("plan").id).toBe("extractive");
  }));
