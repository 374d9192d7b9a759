import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { writeNoiseModel } from "@agentpool/llama/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { downloadBar } from "../src/download-bar.ts";
import type { Console } from "../src/io.ts";
import { call } from "./in-process.ts";
import { docs, folderWith, start } from "./pool.ts";

/** A server on this machine; its address. */
async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An address where nobody listens any more. */
async function nobodysAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

function noise(folder: string, name = "noise.gguf"): Buffer {
  const path = join(folder, "models", name);
  mkdirSync(join(folder, "models"), { recursive: true });
  writeNoiseModel(path);
  return readFileSync(path);
}

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

/** A chat completion, streamed. */
const says: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunk = { id: "1", object: "chat.completion.chunk", created: 0, model: "m" };
  const choice = { index: 0, delta: { role: "assistant", content: "Here." }, finish_reason: "stop" };
  response.end(`data: ${JSON.stringify({ ...chunk, choices: [choice] })}\n\ndata: [DONE]\n\n`);
};

describe("pool models", () => {
  it("shows which model each route gets and whether it answers, and what is wrong once", async () => {
    const baseURL = await serving(says);
    const cwd = folderWith({
      "harness.yml": [
        "models:",
        "  research: [anthropic/claude-haiku-4-5, openai-compatible/served]",
        "  summaries: { model: llama:models/noise.gguf, temperature: 0 }",
        `providers: { openai-compatible: { baseURL: "${baseURL}/v1" }, llama: { threads: 1, contextWindow: 512 } }`,
      ].join("\n"),
    });
    noise(cwd);
    const { code, stdout } = await call(["models"], { cwd });
    for (const line of [
      /^plan +extractive +model +yes, in [\d.]+ s$/m,
      /^research +1\. anthropic\/claude-haiku-4-5 +models\.research +no, 1\)$/m,
      /^ +2\. openai-compatible\/served +yes, in [\d.]+ s$/m,
      /^summaries +llama:models\/noise\.gguf \(temperature 0\) +models\.summaries +yes, in/m,
      /^anything else +extractive/m,
      /^1\) anthropic\/claude-haiku-4-5 needs a key, and ANTHROPIC_API_KEY is not set/m,
    ])
      expect(stdout).toMatch(line);
    expect(code).toBe(0);
  });

  it("ends with 1 where a route has no model that answers, and tells programs why", async () => {
    const cwd = folderWith({ "harness.yml": "models: { plan: openai/gpt-x, research: ollama/x }\n" });
    const env = { OPENAI_API_KEY: "wrong" };
    const nobody = await nobodysAddress();
    const refusing = await serving((_, response) => {
      response.writeHead(401, { "content-type": "application/json" });
      response.end('{"error":{"message":"Incorrect API key provided"}}');
    });
    writeFileSync(
      join(cwd, "harness.local.yml"),
      `providers: { openai: { baseURL: "${refusing}/v1" }, ollama: { baseURL: "${nobody}/v1" } }\n`,
    );
    const { code, stdout } = await call(["models", "--json"], { cwd, env });
    expect(code).toBe(1);
    const shown = JSON.parse(stdout) as { for: string; models: object[] }[];
    expect(shown.find((route) => route.for === "plan")).toEqual({
      for: "plan",
      route: "plan",
      models: [
        {
          model: "openai/gpt-x",
          answers: false,
          kind: "unauthorised",
          reason: expect.stringContaining("Incorrect API key provided"),
        },
      ],
    });
    expect(shown.find((route) => route.for === "research")).toMatchObject({
      models: [{ answers: false, kind: "unreachable" }],
    });
  });

  it("asks nobody with --no-ask, and still says which key is missing", async () => {
    const cwd = folderWith({ "harness.yml": "model: ollama/x\nmodels: { plan: openai/gpt-x }\n" });
    const { code, stdout } = await call(["models", "--no-ask"], { cwd });
    expect(stdout).toMatch(/^research +ollama\/x +model +not asked$/m);
    expect(stdout).toContain("OPENAI_API_KEY is not set");
    expect(code).toBe(1);
    expect((await call(["models", "--no-ask", "-m", "extractive"], { cwd: folderWith({}) })).code).toBe(0);
  });

  it("refuses a configuration whose routes cannot be followed, with its place", async () => {
    const cwd = folderWith({
      "harness.yml": 'models:\n  "*.b": extractive\n  "a.*": extractive\n  a.b: extractive\n',
    });
    expect((await call(["models"], { cwd })).code).toBe(0);
    const tied = folderWith({
      "harness.yml": 'models:\n  "a.b[effort>=low]": extractive\n  "a.b[effort<=high]": extractive\n',
    });
    const { code, stderr } = await call(["models"], { cwd: tied });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^harness\.yml:2:3: models: .* match a\.b equally well/m);
  });
});

describe("pool run", () => {
  it("runs the research job on a model file, in this process, and ends when it has", {
    timeout: 90_000,
  }, async () => {
    const cwd = folderWith({
      ...docs,
      "harness.yml": [
        "model: llama:models/noise.gguf",
        "providers: { llama: { threads: 1, contextWindow: 8192, sequences: 2, maxTokens: 300, calls: always } }",
        "tools: { corpus: { path: ./docs } }",
        "defaults: { effort: min }",
      ].join("\n"),
    });
    noise(cwd);
    const { code, stdout, stderr } = await start(["run", "--store", "none", "How are retries limited?"], {
      cwd,
    }).ended;
    expect(stdout).toContain("# How are retries limited?");
    expect(stderr).toMatch(/plan\/0 starts/);
    expect([0, 1]).toContain(code);
  });

  it("goes on with the next model of a list where one is down, and says so once for each agent", async () => {
    const cwd = folderWith({
      ...docs,
      "harness.yml": [
        "models: { research: [ollama/x, extractive] }",
        `providers: { ollama: { baseURL: "${await nobodysAddress()}/v1" } }`,
        "tools: { corpus: { path: ./docs } }",
      ].join("\n"),
    });
    const { code, stdout } = await call(["run", "--store", "none", "--json", "How are retries limited?"], {
      cwd,
    });
    expect(code).toBe(0);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; agent?: string });
    const moved = events.filter(({ type }) => type === "model:fallback");
    expect(moved).toMatchObject([
      {
        from: "ollama/x",
        to: "extractive",
        run: expect.any(String),
        reason: expect.stringContaining("ECONNREFUSED"),
      },
    ]);
  });

  it("gives a program the routes of the file, by any name, for its pools and by themselves", async () => {
    const cwd = folderWith({
      "package.json": '{ "type": "module" }',
      "harness.yml":
        "program: ./job.ts\nmodels: { summaries: { model: extractive, maxTokens: 9 }, '*': ollama/all }\n",
      "job.ts": `
        import { parallel } from "@agentpool/core";
        import { defineHarness } from "@agentpool/harness";
        export default defineHarness({
          *run(question, { modelFor, pool }) {
            const { agents } = yield* pool({ route: "summaries", system: "You answer.", orchestrate: parallel([question]) });
            return { ids: [modelFor("summaries").id, modelFor("else").id], exits: agents.map(({ exit }) => exit) };
          },
        });`,
    });
    const { code, stdout, stderr } = await start(["run", "--store", "none", "--json", "What?"], { cwd })
      .ended;
    expect(stderr).not.toContain("failed");
    expect(JSON.parse(stdout.trim().split("\n").at(-1)!)).toMatchObject({
      type: "result",
      value: { ids: ["extractive", "ollama/all"], exits: ["text"] },
    });
    expect(code).toBe(0);
  });

  it("says with exit code 2 what keeps a model file from running, before any agent starts", async () => {
    const cwd = folderWith({
      ...docs,
      "harness.yml": "tools: { corpus: { path: ./docs } }\nmodel: llama:none.gguf\n",
    });
    const { code, stderr } = await call(["run", "--store", "none", "What?"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^harness\.yml:2:8: model: llama:none\.gguf: there is no file .*`pool models pull/m,
    );
    expect(stderr).not.toContain("starts");
  });
});

describe("pool models pull", () => {
  /** A hub with one model, which goes out bit by bit until `whole` is set. */
  async function hub(bytes: Buffer, more: { readonly stallsAt?: number } = {}) {
    let { stallsAt } = more;
    const url = await serving((request, response) => {
      if (request.url?.includes("/resolve/main/model.gguf")) {
        response.writeHead(302, {
          "x-linked-etag": sha256(bytes),
          "x-linked-size": bytes.length,
          location: "/blob",
        });
        response.end();
      } else if (request.url === "/blob") {
        const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
        response.writeHead(from > 0 ? 206 : 200, { "content-length": bytes.length - from });
        if (stallsAt === undefined) response.end(bytes.subarray(from));
        else response.write(bytes.subarray(from, stallsAt));
      } else response.writeHead(404).end();
    });
    return {
      env: { HF_ENDPOINT: url },
      goOn() {
        stallsAt = undefined;
      },
    };
  }
  const uri = "hf:user/repository/model.gguf";

  it("fetches a model, verifies it, and prints the name that model takes", async () => {
    const cwd = folderWith({});
    const bytes = noise(cwd, "original.gguf");
    const { env } = await hub(bytes);
    const { code, stdout, stderr } = await call(["models", "pull", uri], { cwd, env });
    expect([code, stdout]).toEqual([0, "llama:models/model.gguf\n"]);
    expect(readFileSync(join(cwd, "models/model.gguf")).equals(bytes)).toBe(true);
    expect(stderr).toMatch(/^model\.gguf: 0 kB of \d+ kB \(0 %\)$/m);
    expect(stderr).toMatch(/^Fetched: \d+ kB; its SHA-256 is the one that is published/m);
    const again = await call(["models", "pull", uri, "--json"], { cwd, env });
    expect(JSON.parse(again.stdout)).toEqual({
      model: "llama:models/model.gguf",
      files: [
        {
          path: "models/model.gguf",
          size: bytes.length,
          sha256: sha256(bytes),
          verified: true,
          fetched: false,
        },
      ],
    });
  });

  it("keeps what has come at ctrl-c, with exit code 130, and goes on from there", async () => {
    const cwd = folderWith({});
    const bytes = noise(cwd, "original.gguf");
    const served = await hub(bytes, { stallsAt: Math.floor(bytes.length * 0.45) });
    const running = start(["models", "pull", uri, "--to", "here"], { cwd, env: served.env });
    await running.saw("(4");
    running.process.kill("SIGINT");
    const { code, stdout, stderr } = await running.ended;
    expect([code, stdout]).toEqual([130, ""]);
    expect(stderr).toContain("the same command goes on from there");
    expect(readdirSync(join(cwd, "here")).sort()).toEqual(["model.gguf.part", "model.gguf.part.etag"]);
    served.goOn();
    expect((await call(["models", "pull", uri, "--to", "here"], { cwd, env: served.env })).code).toBe(0);
    expect(readFileSync(join(cwd, "here/model.gguf")).equals(bytes)).toBe(true);
  });

  it.each([
    [[uri, "--sha256", "0".repeat(64)], 1, "was expected; it was thrown away"],
    [[uri, "--sha256", "abc"], 2, 'sha256: got "abc"; takes 64 digits in hex'],
    [["hf:user/repository/other.gguf"], 1, "there is no http://"],
    [["user/repository"], 2, "takes hf:<user>/<repository>/<file>.gguf"],
  ])("says what is wrong, and keeps nothing: %j", async (args, expected, message) => {
    const cwd = folderWith({});
    const { env } = await hub(noise(cwd, "original.gguf"));
    const { code, stdout, stderr } = await call(["models", "pull", ...args], { cwd, env });
    expect([code, stdout]).toEqual([expected, ""]);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("The run failed");
    expect(existsSync(join(cwd, "models/model.gguf"))).toBe(false);
  });
});

describe("the bar of a download", () => {
  function screen(isTTY: boolean) {
    let text = "";
    let now = 0;
    const io = {
      stderr: { isTTY },
      env: { NO_COLOR: "1" },
      err: { write: (more: string) => (text += more) },
    } as unknown as Console;
    const bar = downloadBar(io, () => now);
    return { bar, text: () => text, after: (ms: number) => (now += ms) };
  }

  it("is drawn anew on a terminal, with how fast it goes and how long it takes, and ends its line", () => {
    const { bar, text, after } = screen(true);
    bar.at("m.gguf", 0, 4e6);
    after(1_000);
    bar.at("m.gguf", 1e6, 4e6);
    after(1);
    bar.at("m.gguf", 1.1e6, 4e6);
    bar.end();
    const lines = text().split("\r\u001b[2K").slice(1);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toBe(
      `m.gguf ${"█".repeat(8)}${"░".repeat(22)} 1.0 MB of 4.0 MB (25 %)  1.0 MB/s, 3.0 s left\n`,
    );
  });

  it("is a line for each tenth anywhere else, and bytes alone where nobody says how many there are", () => {
    const { bar, text } = screen(false);
    for (let done = 0; done <= 100; done++) bar.at("m.gguf", done * 1e7, 1e9);
    bar.end();
    expect(text().trim().split("\n")).toHaveLength(11);
    const unknown = screen(false);
    unknown.bar.at("m.gguf", 5_000, undefined);
    expect(unknown.text()).toBe("m.gguf: 5 kB\n");
  });
});
