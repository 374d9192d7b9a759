import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigurationError, type Model } from "@agentpool/core";
import { run } from "effection";
import { afterAll, describe, expect, it } from "vitest";
import { scripted } from "../scripted/scripted.ts";
import { ggufFile } from "./gguf-file.ts";
import { type LocalSettings, localModel } from "./local-model.ts";
import { resolveModel } from "./resolve-model.ts";

const cwd = mkdtempSync(join(tmpdir(), "agentpool-local-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const header = (version: number, tensors: bigint): Buffer => {
  const bytes = Buffer.alloc(64);
  bytes.write("GGUF");
  bytes.writeUInt32LE(version, 4);
  bytes.writeBigUInt64LE(tensors, 8);
  return bytes;
};
writeFileSync(join(cwd, "m.gguf"), header(3, 1n));
writeFileSync(join(cwd, "short.gguf"), header(3, 1n).subarray(0, 12));
writeFileSync(join(cwd, "text.gguf"), "GGUF, it says, and goes on with words");
writeFileSync(join(cwd, "promises.gguf"), header(3, 2n ** 60n));
writeFileSync(join(cwd, "page.gguf"), "<!DOCTYPE html>");
writeFileSync(join(cwd, "bytes.gguf"), Buffer.from([0, 1, 2, 255]));
writeFileSync(join(cwd, "empty.gguf"), "");

const prefix = { system: "Be brief.", tools: [] };

describe("a model file in this process", () => {
  it("is loaded by its package when the first session opens, with the settings of its route over those of all", () =>
    run(function* () {
      const asked: { path: string; settings: LocalSettings }[] = [];
      const model = localModel(
        "llama:m.gguf",
        { cwd, temperature: 0, providers: { llama: { sequences: 2, temperature: 1, maxTokens: 64 } } },
        async () => ({
          llama(path, settings): Model {
            asked.push({ path, settings });
            return { ...scripted(() => []), contextWindow: 1_234 };
          },
        }),
      );
      expect(model).toMatchObject({ id: "llama:m.gguf", price: { input: 0, output: 0 } });
      expect(asked).toEqual([]);
      yield* model.open(prefix);
      yield* model.open(prefix);
      expect(asked).toEqual([
        { path: "m.gguf", settings: { cwd, sequences: 2, temperature: 0, maxTokens: 64 } },
      ]);
      expect(model.contextWindow).toBe(1_234);
    }));

  it("says what to install where its package is missing, and is found once it is there", () =>
    run(function* () {
      let missing = true;
      const model = localModel("llama:m.gguf", { cwd }, async () => {
        // What Node throws for a package that is not installed.
        if (missing) await import(["@agentpool", "llama-that-is-not-there"].join("/"));
        return { llama: () => scripted(() => []) };
      });
      const failure = yield* refusalOf(model);
      expect(failure).toBeInstanceOf(ConfigurationError);
      expect(failure.message).toMatch(/llama:m\.gguf .*`npm install @agentpool\/llama`.*ollama\//);
      missing = false;
      yield* model.open(prefix);
    }));

  it("passes on whatever else keeps its package from loading", () =>
    run(function* () {
      const model = localModel("llama:m.gguf", { cwd }, () => Promise.reject(new Error("a broken disk")));
      expect((yield* refusalOf(model)).message).toBe(
        "llama:m.gguf: its client could not be loaded: a broken disk",
      );
    }));

  it("frees what it holds when it is closed, and nothing where it was never opened", () =>
    run(function* () {
      let closed = 0;
      const model = localModel("llama:m.gguf", { cwd }, async () => ({
        llama: (): Model => ({
          ...scripted(() => []),
          *close() {
            closed++;
          },
        }),
      }));
      yield* model.close!();
      expect(closed).toBe(0);
      yield* model.open(prefix);
      yield* model.close!();
      yield* model.close!();
      expect(closed).toBe(1);
    }));
});

function* refusalOf(model: Model) {
  try {
    yield* model.open(prefix);
  } catch (error) {
    return error as Error;
  }
  throw new Error("it was opened");
}

describe("a path that is no model file", () => {
  it.each([
    ["none.gguf", /there is no file .*none\.gguf; `pool models pull hf:/],
    ["page.gguf", /is no GGUF file: it starts with "<!DO", not with "GGUF"/],
    ["bytes.gguf", /starts with the bytes 000102ff/],
    ["empty.gguf", /starts with nothing \(it is empty\)/],
    ["short.gguf", /is cut short: it has 12 bytes; fetch it again/],
    ["text.gguf", /its version is \d+; takes 2 or 3/],
    ["promises.gguf", /is damaged: its header promises more/],
    [".", /is a folder; takes a model file/],
    ["", /names no file; for example llama:models\//],
  ])("is refused when it is named, saying what it is: %s", (path, message) => {
    expect(() => resolveModel(`llama:${path}`, { cwd })).toThrow(ConfigurationError);
    expect(() => resolveModel(`llama:${path}`, { cwd })).toThrow(message);
  });

  it("may start from the home folder", () => {
    expect(() => ggufFile("~/no/such/model.gguf", cwd)).toThrow(join(homedir(), "no/such/model.gguf"));
  });
});

it.each([
  ["models/x.gguf", "llama:models/x.gguf"],
  ["lama:x.gguf", "llama:x.gguf"],
])("suggests llama: for %s", (name, meant) => {
  expect(() => resolveModel(name)).toThrow(`did you mean "${meant}"?`);
});
