import { join } from "node:path";
import { defaultBudget } from "@agentpool/core";
import { describe, expect, it } from "vitest";
import { folderWith } from "./folder-with.testing.ts";
import type { Setting } from "./layer.ts";
import { type LoadOptions, loadHarness } from "./load-harness.ts";
import { describeOrigin } from "./origin.ts";
import { keyName } from "./problem.ts";

const flag = (name: string, path: string[], value: unknown): Setting => ({
  origin: { type: "flag", name },
  path,
  value,
});

function messageOf(options: LoadOptions): string {
  try {
    loadHarness(options);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("loaded without an error");
}

const message = (text: string) => messageOf({ cwd: folderWith({ "harness.yml": text }) });

describe("without any file", () => {
  it("has the defaults, and says that they are", () => {
    const harness = loadHarness({ cwd: folderWith({}) });
    expect(harness.config).toEqual({
      model: "extractive",
      models: {},
      providers: {},
      defaults: { effort: "medium", guards: {}, budget: defaultBudget },
      policy: { deny: [], requireApproval: [], grants: [] },
      tools: {},
      store: "sqlite:.pool/runs.db",
    });
    expect(new Set(harness.entries.flatMap((entry) => entry.origins.map(describeOrigin)))).toEqual(
      new Set(["default"]),
    );
    expect(harness.file).toBeUndefined();
  });
});

describe("precedence", () => {
  const files = { "harness.yml": "model: from/file\n", "harness.local.yml": "model: from/local\n" };
  const env = { POOL_MODEL: "from/environment" };
  const flags = [flag("--model", ["model"], "from/flag")];

  it.each([
    ["a flag before everything", { files, env, flags }, "from/flag", "--model"],
    ["the environment before files", { files, env }, "from/environment", "POOL_MODEL"],
    ["harness.local.yml before harness.yml", { files }, "from/local", "harness.local.yml:1:8"],
    [
      "the file before the default",
      { files: { "harness.yml": files["harness.yml"] } },
      "from/file",
      "harness.yml:1:8",
    ],
  ])("is %s, and is on record", (_, { files, ...rest }, model, origin) => {
    const harness = loadHarness({ cwd: folderWith(files), ...rest });
    expect(harness.config.model).toBe(model);
    const entry = harness.entries.find(({ path }) => keyName(path) === "model");
    expect(entry?.origins.map(describeOrigin)).toEqual([origin]);
  });

  it("merges maps, replaces lists, and adds up denies and approvals", () => {
    const cwd = folderWith({
      "harness.yml": [
        "defaults: { guards: { url_dedup: { scope: cohort }, read_dedup: false }, budget: { maxTurns: 3 } }",
        "policy: { deny: [shell], requireApproval: [mail], grants: [pay] }",
        "tools: { corpus: { path: [a, b] } }",
      ].join("\n"),
      "harness.local.yml": [
        "defaults: { guards: { read_dedup: { scope: cohort } }, budget: { maxToolCalls: 4 } }",
        "policy: { deny: [wire, shell], requireApproval: [order], grants: [book] }",
        "tools: { corpus: { path: c } }",
      ].join("\n"),
    });
    const { config, entries } = loadHarness({ cwd, env: { POOL_DENY: "format_disk" } });
    expect(config.defaults.guards).toEqual({
      url_dedup: { scope: "cohort" },
      read_dedup: { scope: "cohort" },
    });
    expect(config.defaults.budget).toEqual({ ...defaultBudget, maxTurns: 3, maxToolCalls: 4 });
    expect(config.policy).toEqual({
      deny: ["format_disk", "wire", "shell"],
      requireApproval: ["order", "mail"],
      grants: ["book"],
    });
    expect(config.tools.corpus).toEqual({ path: "c" });
    const deny = entries.find(({ path }) => keyName(path) === "policy.deny");
    expect(deny?.origins.map(describeOrigin)).toEqual([
      "POOL_DENY",
      "harness.local.yml:2:17",
      "harness.yml:2:17",
    ]);
  });

  it("lets a false guard replace a widened one", () => {
    const cwd = folderWith({
      "harness.yml": "defaults: { guards: { url_dedup: { scope: cohort } } }",
      "harness.local.yml": "defaults: { guards: { url_dedup: false } }",
    });
    expect(loadHarness({ cwd }).config.defaults.guards).toEqual({ url_dedup: false });
  });
});

describe("paths", () => {
  it("start from the file's folder where a file names them, else from where the command was called", () => {
    const cwd = folderWith({ "harness.yml": "program: ./h.ts\ntools: { corpus: { path: docs } }" });
    const file = join(cwd, "harness.yml");
    expect(loadHarness({ cwd: "/", file })).toMatchObject({
      corpus: { paths: ["docs"], cwd },
      program: join(cwd, "h.ts"),
      file,
    });
    const env = { POOL_CORPUS: "here:there" };
    expect(loadHarness({ cwd: "/", file, env }).corpus).toEqual({ paths: ["here", "there"], cwd: "/" });
  });
});

describe("an error", () => {
  it.each([
    [
      "modle: extractive",
      "harness.yml:1:1: modle is not a key here; did you mean model? The file takes question, model,",
    ],
    [
      "defaults:\n  gaurds: {}",
      "harness.yml:2:3: defaults.gaurds is not a key here; did you mean guards? defaults takes effort, guards, budget.",
    ],
    ["model: 3", "harness.yml:1:8: model got 3; it takes a model's name"],
    ["model:", "harness.yml:1:7: model got nothing; it takes a model's name"],
    ["model: ' '", 'harness.yml:1:8: model got " "; it takes a model\'s name'],
    [
      "defaults: { effort: extreme }",
      'harness.yml:1:21: defaults.effort got "extreme"; it takes one of min, low, medium, high, max.',
    ],
    [
      "defaults:\n  guards:\n    url_dedup: true",
      "harness.yml:3:16: defaults.guards.url_dedup got true; it takes false, or { scope: lineage }",
    ],
    [
      "defaults:\n  guards:\n    url_dedup: { scop: cohort }",
      "harness.yml:3:18: defaults.guards.url_dedup.scop is not a key here; did you mean scope?",
    ],
    [
      "defaults: { guards: { url_dedup: { scope: world } } }",
      'harness.yml:1:43: defaults.guards.url_dedup.scope got "world"; it takes lineage or cohort.',
    ],
    [
      "defaults: { guards: { url_deduplication: false } }",
      "harness.yml:1:23: defaults.guards.url_deduplication is not a guard of this harness. Known are query_dedup, read_dedup, url_dedup.",
    ],
    [
      "defaults: { guards: { url_dedupe: {} } }",
      "harness.yml:1:23: defaults.guards.url_dedupe is not a guard of this harness; did you mean url_dedup?",
    ],
    [
      "defaults: { budget: { maxTurns: 0 } }",
      "defaults.budget.maxTurns got 0; it takes a whole number, 1 or more.",
    ],
    [
      "tools: { corpus: {} }",
      "harness.yml:1:18: tools.corpus.path got nothing; it takes a folder, a file, a glob",
    ],
    ["tools: { corpus: { path: [a, 3] } }", "harness.yml:1:30: tools.corpus.path[1] got 3; it takes a path."],
    ["models: { x: [a/b, { modle: c }] }", "models.x[1].modle is not a key here; did you mean model?"],
    ["- model", "harness.yml:1:1: a harness is a map of keys"],
    ["model: a\nmodel: b", "harness.yml:2:1: model stands here twice, the first time in line 1."],
    ["model: [", "harness.yml:1:9: is not valid YAML:"],
    ["a: &a [x]\nb: *nope", "harness.yml:2:4: *nope names no anchor before it;"],
    [
      "defaults:\n  effort: low\n  effort: high",
      "harness.yml:3:3: effort stands here twice, the first time in line 2.",
    ],
    [
      "tools: { corpus: { path: *.md } }",
      'harness.yml:1:26: *.md names no anchor before it; a glob goes in quotes: "*.md".',
    ],
    [
      "question: What is this: a test?",
      "harness.yml:1:11: is not valid YAML: Nested mappings are not allowed in compact mappings; text with a colon in it goes in quotes",
    ],
    [
      "model: @a/b",
      "harness.yml:1:8: is not valid YAML: Plain value cannot start with reserved character @; text that begins with it goes in quotes",
    ],
    ["model: !!js/function x", "harness.yml:1:8: is not valid YAML: Unresolved tag:"],
    ["defaults:\n\tguards: {}", "harness.yml:2:1: is not valid YAML: Tabs are not allowed as indentation"],
    ["\ufeffmodle: extractive", "harness.yml:1:1: modle is not a key here; did you mean model?"],
    [
      "model: extractive\r\ndefaults:\r\n  effrt: low\r\n",
      "harness.yml:3:3: defaults.effrt is not a key here; did you mean effort?",
    ],
    [
      "defaults: { guards: { read_dedup: &g { scope: world }, url_dedup: *g } }",
      'harness.yml:1:47: defaults.guards.url_dedup.scope got "world"',
    ],
    [
      "defaults: { budget: { maxCost: .nan } }",
      "harness.yml:1:32: defaults.budget.maxCost got NaN; it takes US dollars, above 0.",
    ],
    ["defaults: { budget: { maxTurns: 1e400 } }", "harness.yml:1:33: defaults.budget.maxTurns got Infinity;"],
    ["1: a", "harness.yml:1:1: 1 is not a key here."],
    ["? [a, b]\n: c", "harness.yml:1:3: a map or a list is no key."],
    ["'': a", 'harness.yml:1:1: "" is not a key here.'],
    ["model: a\n---\nmodel: b", "harness.yml:2:1: is not valid YAML: Source contains multiple documents"],
  ])("for %j names file, line, column, key, what was found and what is taken", (text, expected) => {
    expect(message(text)).toContain(expected);
  });

  it("lists every problem of a file", () => {
    expect(message("modle: a\nstoer: none\ndefaults: { effort: 3 }").split("\n")).toHaveLength(3);
  });

  it("names a flag or a variable where that is where the value stands", () => {
    const cwd = folderWith({});
    expect(messageOf({ cwd, env: { POOL_EFFORT: "extreme" } })).toContain(
      'POOL_EFFORT: defaults.effort got "extreme"',
    );
    expect(messageOf({ cwd, env: { POOL_MAX_TURNS: "many" } })).toContain(
      'POOL_MAX_TURNS: defaults.budget.maxTurns got "many"; it takes a whole number',
    );
    const flags = [flag("--budget maxTruns", ["defaults", "budget", "maxTruns"], 3)];
    expect(messageOf({ cwd, flags })).toContain(
      "--budget maxTruns: defaults.budget.maxTruns is not a key here; did you mean",
    );
  });

  it("says what is wrong with a file that is none", () => {
    const cwd = folderWith({ "harness.yml": new Uint8Array([0x6d, 0xff, 0xfe]) });
    expect(messageOf({ cwd })).toContain("harness.yml:1:1: is not UTF-8 text; save it as UTF-8.");
    expect(messageOf({ cwd, file: "other.yml" })).toContain("other.yml:1:1: there is no such file.");
    expect(messageOf({ cwd: "/", file: cwd })).toContain("is not a file");
  });

  it.each([
    ["maps", "a: {".repeat(2_000) + "}".repeat(2_000)],
    ["lists", `model: ${"[".repeat(5_000)}${"]".repeat(5_000)}`],
  ])("says of %s without a bottom that they are nested too deeply", (_, text) => {
    expect(message(text)).toMatch(/^harness\.yml:1:\d+: .*it is nested too deeply\.$/);
  });

  it("has twenty lines for a file of nothing but mistakes, and comes at once", () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `key${i}: 1`).join("\n");
    expect(message(keys).split("\n")).toHaveLength(21);
    expect(message(keys)).toMatch(/… and \d+ more problems like these\.$/);
    expect(message(`${keys}\nkey0: 2`)).toBe(
      "harness.yml:20001:1: key0 stands here twice, the first time in line 1.",
    );
  });

  it("says how much a harness file may have", () => {
    expect(message(`# ${"x".repeat(1_000_000)}`)).toBe(
      "harness.yml:1:1: has 1000002 bytes; a harness file has 1000000 at most.",
    );
  });

  it("stops a file whose aliases would grow without end", () => {
    const bomb = [
      "a: &a [x, x]",
      ..."bcdefghijklmnop"
        .split("")
        .map((name, i) => `${name}: &${name} [${`*${"abcdefghijklmnop"[i]},`.repeat(9)}]`),
    ];
    expect(message(bomb.join("\n"))).toContain("cannot be read");
  });
});

describe("hostile names", () => {
  it("looks guards up by own keys only", () => {
    expect(message("defaults: { guards: { constructor: false } }")).toContain(
      "constructor is not a guard of this harness",
    );
    expect(message("defaults: { guards: { __proto__: false } }")).toContain("__proto__ is not a key here");
    expect(message("__proto__: { model: x }")).toContain("__proto__ is not a key here");
  });
});

it("takes the framework's own checks, which a pool then reports as doing nothing", () => {
  const cwd = folderWith({ "harness.yml": "defaults: { guards: { auth_reject: false } }" });
  expect(loadHarness({ cwd }).config.defaults.guards).toEqual({ auth_reject: false });
});

it.each(["", "\n\n", "# nothing\n", "---\n", "\ufeff"])("takes %j as a file that sets nothing", (text) => {
  expect(loadHarness({ cwd: folderWith({ "harness.yml": text }) }).config.model).toBe("extractive");
});

it("takes anchors, aliases and merge keys", () => {
  const text = [
    "model: &model extractive",
    "models: { plan: *model }",
    "defaults:",
    "  guards:",
    "    read_dedup: &wide { scope: cohort }",
    "    query_dedup:",
    "      <<: *wide",
  ].join("\n");
  const { models, defaults } = loadHarness({ cwd: folderWith({ "harness.yml": text }) }).config;
  expect(models).toEqual({ plan: "extractive" });
  expect(defaults.guards).toEqual({ read_dedup: { scope: "cohort" }, query_dedup: { scope: "cohort" } });
});

it("takes maps that were left empty", () => {
  const cwd = folderWith({ "harness.yml": "defaults:\n  guards:\ntools:\npolicy:\n" });
  expect(loadHarness({ cwd }).config.defaults.guards).toEqual({});
});

it("notices a variable that is probably a misspelt one", () => {
  const { notices } = loadHarness({ cwd: folderWith({}), env: { POOL_MODLE: "a/b", POOL_SIZE: "5" } });
  expect(notices).toEqual(["POOL_MODLE is not a variable that is read; did you mean POOL_MODEL?"]);
});
