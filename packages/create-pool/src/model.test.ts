import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadHarness } from "@agentpool/harness";
import { resolveModel } from "@agentpool/models";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkedModel, needsOf, providers, whyNoModel, withModel } from "./model.ts";

const templates = fileURLToPath(new URL("../../../templates", import.meta.url));

describe("a model's name", () => {
  it.each(["extractive", "anthropic/claude-haiku-4-5", "ollama/qwen3:8b", "openai-compatible/org/model@1.0"])(
    "may be %s",
    (model) => expect(checkedModel(model)).toBe(model),
  );

  it.each([
    "gpt-5",
    "anthropic",
    "anthropic/",
    "nobody/model",
    "constructor/x",
    "ollama/a: b",
    "ollama/x #y",
    "openai/x\ny: 1",
    "openai/x/",
  ])("may not be %j", (model) => expect(whyNoModel(model)).toMatch(/for example/));
});

describe("each provider", () => {
  it.each(Object.entries(providers))(
    "%s has the key and the server that it is said to need",
    (_, provider) => {
      const settings = { providers: { "openai-compatible": { baseURL: "http://127.0.0.1:1/v1" } } };
      const { key, example } = provider;
      if (key === undefined) expect(resolveModel(example, { ...settings, env: {} }).id).toBe(example);
      else {
        expect(() => resolveModel(example, { env: {} })).toThrow(key);
        expect(resolveModel(example, { env: { [key]: "k" } }).id).toBe(example);
      }
      if (provider.baseURL !== undefined) expect(() => resolveModel(example, { env: {} })).toThrow("baseURL");
    },
  );
});

describe("a template's harness.yml", () => {
  const names = readdirSync(templates);
  const models = ["extractive", ...Object.values(providers).map(({ example }) => example)];
  it.each(names.flatMap((name) => models.map((model) => [name, model] as const)))(
    "of %s loads with %s",
    (name, model) => {
      const cwd = mkdtempSync(join(tmpdir(), "create-pool-"));
      onTestFinished(() => rmSync(cwd, { recursive: true }));
      const text = withModel(readFileSync(join(templates, name, "harness.yml"), "utf8"), model);
      writeFileSync(join(cwd, "harness.yml"), text);
      const { config } = loadHarness({ cwd });
      expect(config.model).toBe(model);
      expect(config.providers["openai-compatible"]?.baseURL).toBe(
        model.startsWith("openai-compatible") ? "http://127.0.0.1:8080/v1" : undefined,
      );
      expect(text.match(/^model:/gm)).toHaveLength(1);
    },
  );
});

it("says what has to be there before a model runs", () => {
  expect(needsOf("extractive")).toBeUndefined();
  expect(needsOf("anthropic/x")).toContain("ANTHROPIC_API_KEY");
  expect(needsOf("openai-compatible/x")).toContain("providers in harness.yml");
  expect(needsOf("ollama/x")).toContain("Ollama");
});
