import { nearest } from "@agentpool/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { stringify } from "yaml";
import { z } from "zod";
import { HarnessError } from "./problem.ts";
import { harnessSchema } from "./schema.ts";
import { keysOf, schemaAt, takes, unwrap } from "./schema-path.ts";
import { validate } from "./validate.ts";
import { yamlLayer } from "./yaml-layer.ts";

/** A file that sets every key there is. */
const everything = {
  question: "What is a guard?",
  model: "extractive",
  models: {
    "review.*": {
      model: "a/b",
      reasoning: "low",
      temperature: 0.5,
      maxTokens: 100,
      contextWindow: 8_000,
      timeoutMs: 60_000,
      price: { input: 1, output: 5, cached: 0.1 },
      emulate: ["toolChoice"],
    },
  },
  providers: {
    anthropic: { baseURL: "https://one.example" },
    openai: { baseURL: "https://two.example" },
    google: { headers: { "x-team": "a" } },
    ollama: { baseURL: "http://127.0.0.1:11434" },
    "openai-compatible": {
      baseURL: "http://127.0.0.1:8080/v1",
      headers: { "x-team": "a" },
      emulate: ["structuredOutput"],
    },
    llama: {
      contextWindow: 4_096,
      sequences: 4,
      batchSize: 256,
      threads: 2,
      gpu: false,
      flashAttention: true,
      maxTokens: 512,
      temperature: 0.2,
      seed: 3,
      calls: "choose",
    },
  },
  program: "./src/harness.ts",
  defaults: {
    effort: "medium",
    guards: { url_dedup: { scope: "cohort" } },
    budget: {
      maxTurns: 10,
      maxToolCalls: 50,
      maxCallsPerTool: { search: 3 },
      maxToolRetries: 1,
      runRetries: 20,
      concurrentTools: 8,
      concurrentGenerations: 8,
      maxTokens: 100_000,
      maxCost: 1.5,
      wallClock: { soft: 1, hard: 2000 },
      context: { soft: 1e-9, hard: 0.9 },
      maxAgents: 10,
      maxDepth: 3,
    },
  },
  policy: {
    deny: ["shell"],
    requireApproval: ["send_email"],
    grants: ["pay"],
    review: {
      agent: false,
      tools: ["cancel_order"],
      rules: [
        {
          title: "Transfers",
          content: "Ask.",
          when: "money moves",
          kind: "policy",
          tools: ["wire"],
          weight: "high",
          effort: "high",
          review: true,
        },
      ],
      restarts: { low: 1, medium: 2, high: 3, max: 4 },
      reportRestarts: { low: 1, medium: 2, high: 3, max: 4 },
      timeoutMs: 30_000,
    },
  },
  tools: {
    corpus: { path: ["./docs", "notes/*.md"] },
    web: { search: "duckduckgo" },
    mcp: {
      servers: {
        files: {
          command: "npx",
          args: ["a"],
          env: { TOKEN: "abc" },
          cwd: ".",
          url: "http://127.0.0.1:1",
          headers: { authorization: "Bearer abc" },
          tools: ["read_*"],
          protected: ["pay"],
          consequential: "all",
          timeoutMs: 30_000,
          startTimeoutMs: 10_000,
        },
      },
    },
  },
  store: "none",
};

type Path = (string | number)[];

/** Every key of the schema, as the sample has it. */
function* keys(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const here = [...path, Array.isArray(value) ? Number(name) : name];
    const parent = schemaAt(harnessSchema, path);
    if (parent && keysOf(parent)?.includes(name)) yield here;
    yield* keys(inner, here);
  }
}

/** Every key that a map of the schema may have. */
function* declared(schema: z.ZodType, above: string): Generator<string> {
  const here = unwrap(schema);
  if (here instanceof z.ZodUnion)
    for (const option of here.options) yield* declared(option as z.ZodType, above);
  if (here instanceof z.ZodArray) yield* declared(here.element as z.ZodType, above);
  if (here instanceof z.ZodRecord) yield* declared(here.valueType as z.ZodType, `${above}.*`);
  if (here instanceof z.ZodObject)
    for (const [name, inner] of Object.entries(here.shape)) {
      yield `${above}.${name}`;
      yield* declared(inner as z.ZodType, `${above}.${name}`);
    }
}

const load = (value: unknown) => validate(yamlLayer(stringify(value), "harness.yml"));

function problemsOf(value: unknown) {
  try {
    load(value);
  } catch (error) {
    if (error instanceof HarnessError) return error.problems;
    throw error;
  }
  return [];
}

function renamed(value: unknown, path: Path, to: string): unknown {
  const [key, ...rest] = path;
  if (Array.isArray(value)) return value.map((item, i) => (i === key ? renamed(item, rest, to) : item));
  return Object.fromEntries(
    Object.entries(value as object).map(([name, inner]) =>
      name !== key ? [name, inner] : rest.length === 0 ? [to, inner] : [name, renamed(inner, rest, to)],
    ),
  );
}

const allKeys = [...keys(everything)];

it("takes a file that sets every key", () => {
  expect(load(everything)).toEqual(everything);
});

it("is tried with every key that the schema has", () => {
  const tried = new Set(allKeys.map((path) => path.filter((part) => typeof part === "string").at(-1)));
  const missing = [...new Set(declared(harnessSchema, ""))].filter(
    (name) => !tried.has(name.split(".").at(-1)!),
  );
  expect(missing).toEqual([]);
});

it.each(allKeys.map((path) => [path.join("."), path] as const))(
  "finds a typo in %s, with its place",
  (_, path) => {
    const name = String(path.at(-1));
    const siblings = keysOf(schemaAt(harnessSchema, path.slice(0, -1))!)!;
    fc.assert(
      fc.property(fc.nat(name.length - 1), fc.constantFrom("drop", "double", "swap"), (at, how) => {
        const typo =
          how === "drop"
            ? name.slice(0, at) + name.slice(at + 1)
            : how === "double"
              ? name.slice(0, at + 1) + name.slice(at)
              : name.slice(0, at) + (name[at + 1] ?? "") + name[at] + name.slice(at + 2);
        fc.pre(typo !== "" && !siblings.includes(typo));
        const broken = renamed(everything, path, typo);
        const text = stringify(broken);
        const problem = problemsOf(broken).find((found) => found.message.startsWith("is not a key here"))!;
        const lines = text.split("\n");
        expect(problem.origin.type).toBe("file");
        if (problem.origin.type !== "file") return;
        expect(problem.origin.file).toBe("harness.yml");
        expect(lines[problem.origin.line - 1]!.slice(problem.origin.column - 1)).toMatch(
          new RegExp(`^["']?${typo.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}["']?:`),
        );
        expect(problem.message).toContain(`did you mean ${nearest(typo, siblings)}?`);
        for (const sibling of siblings) expect(problem.message).toContain(sibling);
      }),
      { numRuns: 6 },
    );
  },
);

it.each(allKeys.map((path) => [path.join("."), path] as const))(
  "says what %s takes when it is given nonsense",
  (_, path) => {
    const nonsense = { no: [7, {}] };
    const put = (value: unknown, [key, ...rest]: Path): unknown => {
      if (key === undefined) return nonsense;
      if (Array.isArray(value)) return value.map((item, i) => (i === key ? put(item, rest) : item));
      return { ...(value as object), [key]: put((value as Record<string, unknown>)[key], rest) };
    };
    const problems = problemsOf(put(everything, path));
    expect(problems.length).toBeGreaterThan(0);
    const shown = problems.map((problem) => `${problem.key} ${problem.message}`).join("\n");
    expect(shown).toContain(String(path.at(-1)));
    expect(shown).toMatch(/it takes|takes/);
  },
);

it("is published as JSON Schema for editors", async () => {
  const published = z.toJSONSchema(harnessSchema, {
    io: "input",
    override: ({ jsonSchema }) => {
      delete (jsonSchema as { takes?: unknown }).takes;
    },
  });
  await expect(`${JSON.stringify(published, null, 2)}\n`).toMatchFileSnapshot(
    "../schema/harness.schema.json",
  );
});

/** What `takes` promises of a key, held against a value: the test's own reading of the words. */
function isPromised(takes: string, value: unknown): boolean {
  const atLeast = /^(?:a whole number|milliseconds), (\d+) or more$/.exec(takes);
  if (atLeast) return Number.isSafeInteger(value) && (value as number) >= Number(atLeast[1]);
  const isNumber = typeof value === "number" && Number.isFinite(value);
  if (takes === "US dollars, above 0") return isNumber && value > 0;
  if (takes === "US dollars per million tokens, 0 or more") return isNumber && value >= 0;
  if (takes === "a number from 0 to 2") return isNumber && value >= 0 && value <= 2;
  if (takes.startsWith("a share of the model's window")) return isNumber && value > 0 && value <= 1;
  if (/^(an http or https URL|none, sqlite:PATH)/.test(takes)) return false;
  const isEmptyMap = value === null || (typeof value === "object" && Object.keys(value).length === 0);
  if (takes.startsWith("a map")) return isEmptyMap && !Array.isArray(value);
  if (takes.startsWith("a list of")) return Array.isArray(value) && value.length === 0;
  const choices = takes.replace(/^one of /, "").split(/, | or /);
  if (takes === "true or false" || choices.includes("false"))
    return typeof value === "boolean" && choices.includes(String(value));
  if (choices.length > 1 && choices.every((choice) => /^\w+$/.test(choice))) return false;
  return typeof value === "string" && value.trim() !== "";
}

const wrongValues: readonly unknown[] = [
  ...[null, true, false, 0, 3, -1, 1.5, 1e308, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60],
  ...["", "  ", "words that nobody knows", "x".repeat(100_000), "a\u0000b", "3", "\u001b[2J"],
  ...[[], [[]], [3], [null], {}, { "": 1 }, { nobody: { knows: 1 } }, new Date(0)],
];

it.each(allKeys.map((path) => [path.join("."), path] as const))(
  "takes for %s what it says, and says of anything else where it stands, what it is and what is taken",
  (_, path) => {
    const schema = schemaAt(harnessSchema, path)!;
    const put = (value: unknown, [key, ...rest]: Path, wrong: unknown): unknown => {
      if (key === undefined) return wrong;
      if (Array.isArray(value)) return value.map((item, i) => (i === key ? put(item, rest, wrong) : item));
      return { ...(value as object), [key]: put((value as Record<string, unknown>)[key], rest, wrong) };
    };
    for (const wrong of wrongValues) {
      const text = stringify(put(everything, path, wrong), { aliasDuplicateObjects: false });
      const read = yamlLayer(text, "harness.yml");
      const problems = (() => {
        try {
          validate(read);
          return [];
        } catch (error) {
          if (error instanceof HarnessError) return error.problems;
          throw error;
        }
      })();
      const about = `${JSON.stringify(wrong)?.slice(0, 40)} for ${takes(schema)}`;
      const promised = isPromised(takes(schema), wrong instanceof Date ? wrong.toISOString() : wrong);
      // what a map or a list holds its own keys judge, and whether it may be empty
      const isJudgedWithin =
        typeof wrong === "object" && !(wrong === null && !takes(schema).startsWith("a map"));
      if (!isJudgedWithin) expect(problems.length === 0, about).toBe(promised);
      const lines = text.split("\n");
      for (const { origin, key, message } of problems) {
        expect(key, about).toContain(String(path.findLast((part) => typeof part === "string")));
        expect(message).toMatch(/^(got .+; it takes .+\.$|is not a key here.* takes )/s);
        expect(message.length).toBeLessThan(500);
        if (origin.type !== "file") throw new Error(about);
        expect(lines[origin.line - 1]!.length, about).toBeGreaterThanOrEqual(origin.column - 1);
      }
    }
  },
);

it("says where a key belongs that stands in another map", () => {
  const message = (value: unknown) => problemsOf(value)[0]?.message;
  expect(message({ guards: {} })).toMatch(/^is not a key here; it belongs to defaults\. The file takes /);
  expect(message({ maxTurns: 3 })).toContain("it belongs to defaults.budget.");
  expect(message({ policy: { corpus: {} } })).toContain("it belongs to tools.");
  expect(message({ defaults: { model: "a/b" } })).toContain("it belongs to the file itself.");
});

it("takes a soft limit up to its hard one", () => {
  const budget = (wallClock: object, context: object) => ({ defaults: { budget: { wallClock, context } } });
  expect(problemsOf(budget({ soft: 500, hard: 100 }, { soft: 0.9, hard: 0.5 }))).toMatchObject([
    { key: "defaults.budget.wallClock.soft", message: "got 500; it takes milliseconds up to hard." },
    { key: "defaults.budget.context.soft", message: "got 0.9; it takes a share up to hard." },
  ]);
  expect(problemsOf(budget({ soft: 100, hard: 100 }, { soft: 0.9 }))).toEqual([]);
});
