import { ConfigurationError } from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { lazyModel } from "./lazy-model.ts";
import { type ModelSettings, resolveModel } from "./resolve-model.ts";

const keys = {
  ANTHROPIC_API_KEY: "a",
  OPENAI_API_KEY: "o",
  GEMINI_API_KEY: "g",
};

describe("resolveModel", () => {
  it("gives the embedded engine without any key", () => {
    expect(resolveModel("extractive", { env: {} }).id).toBe("extractive");
  });

  it("gives a provider's model under the name it was asked by, before its client is loaded", () => {
    for (const name of [
      "anthropic/claude-haiku-4-5",
      "openai/gpt-5-mini",
      "google/gemini-2.5-flash",
      "ollama/a:b/c",
    ]) {
      expect(resolveModel(name, { env: keys }).id).toBe(name);
    }
    expect(resolveModel("anthropic/claude-haiku-4-5", { env: keys }).contextWindow).toBe(200_000);
    expect(resolveModel("ollama/x", { contextWindow: 8_192 }).contextWindow).toBe(8_192);
  });

  it("opens a session of every provider with its real client", () =>
    run(function* () {
      const settings: ModelSettings = {
        env: keys,
        reasoning: "low",
        providers: { "openai-compatible": { baseURL: "http://127.0.0.1:1/v1" } },
      };
      for (const name of ["anthropic/x", "openai/x", "google/x", "ollama/x", "openai-compatible/x"]) {
        const session = yield* resolveModel(name, settings).open({ system: "Be brief.", tools: [] });
        expect(session.tokens).toBeGreaterThan(0);
      }
    }));

  const refusals: readonly [string, ModelSettings, RegExp][] = [
    [
      "anthropic/x",
      { env: {} },
      /anthropic\/x needs a key, and ANTHROPIC_API_KEY is not set.*https:\/\/console\.anthropic/,
    ],
    ["openai/x", { env: { OPENAI_API_KEY: "  " } }, /OPENAI_API_KEY is not set.*"extractive"/],
    ["google/x", { env: {} }, /GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY is not set/],
    ["openai-compatible/x", {}, /providers\.openai-compatible\.baseURL: missing; takes the address/],
    [
      "ollama/x",
      { providers: { ollama: { baseURL: "localhost:11434" } } },
      /baseURL: got "localhost:11434".*http or https/,
    ],
    ["openai/", { env: keys }, /"openai\/" names no model; for example openai\//],
    ["scripted", {}, /scripted\(\(\{ key, task \}\)/],
    ["llama:./x.gguf", {}, /there is no file .*x\.gguf; `pool models pull/],
    [
      "antropic/claude-haiku-4-5",
      {},
      /"antropic\/claude-haiku-4-5" is not known; did you mean "anthropic\/claude-haiku-4-5"\?/,
    ],
    ["claude-haiku-4-5", {}, /did you mean "anthropic\/claude-haiku-4-5"\?/],
    ["extractiv", {}, /did you mean "extractive"\? Accepted are/],
    ["", {}, /"" is not known\. Accepted are, for example, extractive, anthropic\//],
    ["constructor/x", {}, /"constructor\/x" is not known\. Accepted/],
  ];
  for (const [name, settings, message] of refusals) {
    it(`refuses ${JSON.stringify(name)} with ${JSON.stringify(settings)}, saying what it takes`, () => {
      expect(() => resolveModel(name, settings)).toThrow(ConfigurationError);
      expect(() => resolveModel(name, settings)).toThrow(message);
    });
  }
});

describe("lazyModel", () => {
  it("loads once for all sessions, and again after a failure", () =>
    run(function* () {
      let loads = 0;
      const model = lazyModel({ id: "x/y" }, async () => {
        loads++;
        if (loads === 1) throw new Error("disk on fire");
        return resolveModel("extractive");
      });
      const prefix = { system: "", tools: [] };
      let message = "";
      try {
        yield* model.open(prefix);
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).toBe("x/y: its client could not be loaded: disk on fire");
      yield* model.open(prefix);
      yield* model.open(prefix);
      expect(loads).toBe(2);
    }));
});
