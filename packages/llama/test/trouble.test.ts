import { readFileSync, writeFileSync } from "node:fs";
import { ConfigurationError, type Model } from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { llama, useLlama } from "../src/index.ts";
import { type Library, runtimeFor } from "../src/native/library.ts";
import { checkMemory } from "../src/native/memory.ts";
import { shapes } from "../src/testing/index.ts";
import { noiseModel, small, temporary } from "./noise.ts";

const prefix = { system: "You read.", tools: [] };

function* refusalOf(model: Model, opened = prefix) {
  try {
    yield* model.open(opened);
  } catch (error) {
    return error as Error;
  }
  throw new Error("it was opened");
}

describe("what keeps a model from running is said in words", () => {
  it("the library is not installed", async () => {
    const starting = runtimeFor(
      { threads: 1, gpu: false },
      () => import(["node-llama-cpp", "that-is-not-there"].join("-")),
    );
    await expect(starting).rejects.toThrow(ConfigurationError);
    await expect(starting).rejects.toThrow(
      /could not be loaded \(.*\); install it with `npm install node-llama-cpp`/,
    );
  });

  it("the library has no binary for this machine", async () => {
    const library = {
      LlamaLogLevel: { warn: "warn" },
      getLlama: () => Promise.reject(new Error("NoBinaryFoundError\nand more")),
    } as unknown as Library;
    const starting = runtimeFor({ threads: 3, gpu: "metal" }, async () => library);
    await expect(starting).rejects.toThrow(ConfigurationError);
    await expect(starting).rejects.toThrow(
      `no binary of it that runs here (${process.platform} ${process.arch}, gpu: "metal"): NoBinaryFoundError. Install`,
    );
  });

  it("a file is cut short, or holds something else behind its first bytes", () =>
    run(function* () {
      const whole = readFileSync(noiseModel());
      for (const bytes of [whole.subarray(0, whole.length / 2), whole.subarray(0, 100)]) {
        const path = temporary("broken.gguf");
        writeFileSync(path, bytes);
        const refusal = yield* refusalOf(llama(path, small));
        expect(refusal).toBeInstanceOf(ConfigurationError);
        expect(refusal.message).toMatch(/model: llama:.*broken\.gguf could not be loaded: \w/);
      }
    }));

  it("there is too little memory for its sequences, and what takes less", () =>
    run(function* () {
      const shape = { ...shapes.tiny, layers: 8, context: 2 ** 22 };
      const model = llama(noiseModel({ shape }), { ...small, sequences: 256, contextWindow: 2 ** 22 });
      const refusal = yield* refusalOf(model);
      expect(refusal).toBeInstanceOf(ConfigurationError);
      expect(refusal.message).toMatch(
        /too little memory: 256 sequences of 4194304 tokens takes [\d.]+ GB, and .* is free; lower contextWindow or sequences/,
      );
      expect(() =>
        checkMemory("llama:x", { what: "the model", bytes: 2e9, instead: "take a smaller one" }, 150e6),
      ).toThrow(
        "model: llama:x: too little memory: the model takes 2.0 GB, and 150 MB is free; take a smaller one",
      );
    }));

  it("a window is larger than what the model was trained on", () =>
    run(function* () {
      const refusal = yield* refusalOf(llama(noiseModel(), { ...small, contextWindow: 100_000 }));
      expect(refusal).toBeInstanceOf(ConfigurationError);
      expect(refusal.message).toMatch(/contextWindow is 100000, and it was trained on 8192 tokens/);
    }));

  it("a window is too small for what every agent starts with", () =>
    run(function* () {
      const model = yield* useLlama(noiseModel(), { ...small, contextWindow: 128 });
      const long = { ...prefix, system: "many words ".repeat(100) };
      const refusal = yield* refusalOf(model, long);
      expect(refusal).toBeInstanceOf(ConfigurationError);
      expect(refusal.message).toMatch(/has \d+ tokens, and a session holds 128; raise contextWindow/);
      // The model goes on for others.
      yield* model.open(prefix);
    }));

  it("a conversation outgrows its window: only the fork that would hold it fails", () =>
    run(function* () {
      const model = yield* useLlama(noiseModel(), { ...small, contextWindow: 256 });
      const session = yield* model.open(prefix);
      yield* session.append([{ role: "user", content: [{ type: "text", text: "many words ".repeat(200) }] }]);
      let refusal: Error | undefined;
      try {
        yield* session.fork();
      } catch (error) {
        refusal = error as Error;
      }
      expect(refusal?.message).toMatch(/has \d+ tokens, and a session holds 256/);
      yield* model.open(prefix);
    }));
});
