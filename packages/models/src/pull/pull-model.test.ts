import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Operation, resource, run, scoped, spawn, until, withResolvers } from "effection";
import { describe, expect, it, onTestFinished } from "vitest";
import { modelUri } from "./model-uri.ts";
import { type PullOptions, pullModel } from "./pull-model.ts";

const header = Buffer.alloc(24);
header.write("GGUF");
header.writeUInt32LE(3, 4);
const model = Buffer.concat([header, randomBytes(300_000)]);
const digest = createHash("sha256").update(model).digest("hex");

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface Hub {
  readonly url: string;
  readonly requests: {
    readonly method: string;
    readonly url: string;
    readonly headers: IncomingMessage["headers"];
  }[];
}

/** A server on this machine that answers as the hub does. */
const useHub = (answer: Answer): Operation<Hub> =>
  resource(function* (provide) {
    const requests: Hub["requests"] = [];
    const server = createServer((request, response) => {
      requests.push({ method: request.method!, url: request.url!, headers: request.headers });
      answer(request, response);
    });
    yield* until(new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
    try {
      yield* provide({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

const redirect = (bytes: Buffer) => (response: ServerResponse) => {
  const etag = createHash("sha256").update(bytes).digest("hex");
  response.writeHead(302, {
    "x-linked-etag": `"${etag}"`,
    "x-linked-size": bytes.length,
    location: `/blobs/${etag}`,
  });
  response.end();
};

/** What the hub does with a file: says its digest and size on a redirect, and serves it from somewhere else. */
function serving(bytes: Buffer, cut?: number): Answer {
  return (request, response) => {
    if (request.url?.includes("/resolve/")) return redirect(bytes)(response);
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
    const rest = bytes.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, { "content-length": rest.length });
    if (cut === undefined) response.end(rest);
    else response.write(rest.subarray(0, cut), () => setImmediate(() => response.destroy()));
  };
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "agentpool-pull-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const uri = "hf:user/repository/sub/model.gguf";
const pull = (hub: Hub, to: string, options: PullOptions = {}, from = uri) =>
  pullModel(from, { to, env: { HF_ENDPOINT: hub.url }, ...options });

function* failureOf(operation: () => Operation<unknown>): Operation<Error> {
  try {
    yield* scoped(operation);
  } catch (error) {
    return error as Error;
  }
  throw new Error("it did not fail");
}

describe("a model", () => {
  it("is fetched, verified against the digest its server publishes, and put in place when it is whole", () =>
    run(function* () {
      const hub = yield* useHub(serving(model));
      const to = join(folder(), "models");
      const seen: number[] = [];
      const { path, files } = yield* pull(hub, to, {
        onBytes: (file, done, total) => {
          expect([file, total]).toEqual(["model.gguf", model.length]);
          seen.push(done);
        },
      });
      expect(path).toBe(join(to, "model.gguf"));
      expect(readFileSync(path).equals(model)).toBe(true);
      expect(files).toEqual([{ path, size: model.length, sha256: digest, verified: true, fetched: true }]);
      expect(readdirSync(to)).toEqual(["model.gguf"]);
      expect(seen[0]).toBe(0);
      expect(seen.at(-1)).toBe(model.length);
      expect(seen).toEqual([...seen].sort((a, b) => a - b));
      expect(hub.requests[0]?.url).toBe("/user/repository/resolve/main/sub/model.gguf");
    }));

  it("that is there already is verified again, and not fetched", () =>
    run(function* () {
      const hub = yield* useHub(serving(model));
      const to = folder();
      yield* pull(hub, to);
      const before = hub.requests.length;
      const { files } = yield* pull(hub, to);
      expect(files[0]).toMatchObject({ fetched: false, verified: true });
      expect(hub.requests.slice(before).map(({ method }) => method)).toEqual(["HEAD"]);
      writeFileSync(join(to, "model.gguf"), "GGUF of another kind");
      expect((yield* failureOf(() => pull(hub, to))).message).toMatch(/is there, and is another file/);
    }));

  it("whose connection breaks goes on from where it was, as long as something comes", () =>
    run(function* () {
      let serving: ServerResponse | undefined;
      let breaks = 0;
      const hub = yield* useHub((request, response) => {
        if (request.url?.includes("/resolve/")) return redirect(model)(response);
        const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
        response.writeHead(from > 0 ? 206 : 200, { "content-length": model.length - from });
        serving = response;
        if (breaks < 3) response.write(model.subarray(from, from + 50_000));
        else response.end(model.subarray(from));
      });
      const { path } = yield* pull(hub, folder(), {
        onBytes: (_, done) => {
          if (breaks < 3 && done === (breaks + 1) * 50_000) {
            breaks++;
            serving?.destroy();
          }
        },
      });
      expect(readFileSync(path).equals(model)).toBe(true);
      const blobs = hub.requests.filter(({ url }) => url.startsWith("/blobs/"));
      expect(blobs.map(({ headers }) => headers.range)).toEqual([
        undefined,
        "bytes=50000-",
        "bytes=100000-",
        "bytes=150000-",
      ]);
    }));

  it("whose fetching was halted keeps what it has, and goes on from there the next time", () =>
    run(function* () {
      const hub = yield* useHub((request, response) => {
        if (request.url?.includes("/resolve/")) return serving(model)(request, response);
        const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
        response.writeHead(from > 0 ? 206 : 200, { "content-length": model.length - from });
        if (from > 0) response.end(model.subarray(from));
        else response.write(model.subarray(0, 100_000));
      });
      const to = folder();
      const half = withResolvers<void>();
      const pulling = yield* spawn(() =>
        pull(hub, to, { onBytes: (_, done) => (done === 100_000 ? half.resolve() : undefined) }),
      );
      yield* half.operation;
      yield* pulling.halt();
      expect(readdirSync(to).sort()).toEqual(["model.gguf.part", "model.gguf.part.etag"]);
      const { path } = yield* pull(hub, to);
      expect(hub.requests.at(-1)?.headers.range).toMatch(/^bytes=\d+-$/);
      expect(readFileSync(path).equals(model)).toBe(true);
      expect(readdirSync(to)).toEqual(["model.gguf"]);
    }));

  it("that has changed on its server since is fetched from its start", () =>
    run(function* () {
      const to = folder();
      writeFileSync(join(to, "model.gguf.part"), "GGUF of an older version");
      writeFileSync(join(to, "model.gguf.part.etag"), "older");
      const hub = yield* useHub(serving(model));
      const { path } = yield* pull(hub, to);
      expect(readFileSync(path).equals(model)).toBe(true);
      expect(hub.requests.every(({ headers }) => headers.range === undefined)).toBe(true);
    }));

  it("is had whole from a server that cannot go on in the middle", () =>
    run(function* () {
      let gets = 0;
      const hub = yield* useHub((request, response) => {
        if (request.method === "HEAD") return serving(model)(request, response);
        response.writeHead(200, { "content-length": model.length });
        if (++gets > 1) response.end(model);
        else response.write(model.subarray(0, 1_000), () => setImmediate(() => response.destroy()));
      });
      const { path } = yield* pull(hub, folder());
      expect(readFileSync(path).equals(model)).toBe(true);
    }));

  it("in parts is fetched part by part", () =>
    run(function* () {
      const hub = yield* useHub(serving(model));
      const { path, files } = yield* pull(hub, folder(), {}, "hf:user/repository/big-00002-of-00003.gguf");
      expect(files.map((file) => file.path.slice(-22))).toEqual(
        [1, 2, 3].map((at) => `big-0000${at}-of-00003.gguf`.slice(-22)),
      );
      expect(path).toBe(files[0]?.path);
    }));

  it("is fetched with the token of the environment, which goes to the hub alone", () =>
    run(function* () {
      const other = yield* useHub((_, response) => {
        response.writeHead(200, { "content-length": model.length });
        response.end(model);
      });
      const hub = yield* useHub((request, response) => {
        response.writeHead(request.headers.authorization === "Bearer secret" ? 302 : 401, {
          "x-linked-etag": digest,
          "x-linked-size": model.length,
          location: `${other.url.replace("127.0.0.1", "localhost")}/blob`,
        });
        response.end();
      });
      expect((yield* failureOf(() => pull(hub, folder()))).message).toMatch(
        /may not be read \(401\).*HF_TOKEN/,
      );
      yield* pull(hub, folder(), { env: { HF_ENDPOINT: hub.url, HF_TOKEN: "secret" } });
      expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    }));
});

describe("what is no model is not kept", () => {
  const wrong: readonly [string, Answer, PullOptions, RegExp][] = [
    [
      "a digest that is another",
      serving(model),
      { sha256: "0".repeat(64) },
      /came with the SHA-256 [0-9a-f]{64}, and 0{64} was expected; it was thrown away/,
    ],
    [
      "a page",
      (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
      {},
      /what came is no model: .*is no GGUF file/,
    ],
    [
      "a file that is not there",
      (_, response) => response.writeHead(404).end(),
      {},
      /there is no http.*exact name/,
    ],
    ["a server in trouble", (_, response) => response.writeHead(503).end(), {}, /answered with 503/],
    ["a connection that always breaks", serving(model, 0), {}, /: the same command goes on from there/],
  ];
  it.each(wrong)("%s", (_, answer, options, message) =>
    run(function* () {
      const hub = yield* useHub(answer);
      const to = folder();
      const failure = yield* failureOf(() => pull(hub, to, options));
      expect(failure.name).toBe("PullError");
      expect(failure.message).toMatch(message);
      expect(existsSync(join(to, "model.gguf"))).toBe(false);
    }),
  );

  it("a server that is not there", () =>
    run(function* () {
      const failure = yield* failureOf(() =>
        pullModel(uri, { to: folder(), env: { HF_ENDPOINT: "http://127.0.0.1:1" } }),
      );
      expect(failure.message).toMatch(/http:\/\/127\.0\.0\.1:1 cannot be reached: /);
    }));
});

describe("where a model is", () => {
  it.each([
    ["hf:a/b/c.gguf", "https://huggingface.co/a/b/resolve/main/c.gguf"],
    ["hf://a/b/c d/e.gguf#v1.0", "https://huggingface.co/a/b/resolve/v1.0/c%20d/e.gguf"],
    ["https://one.example/x/y.gguf?download=true", "https://one.example/x/y.gguf?download=true"],
  ])("is read from %s", (text, url) => {
    expect(modelUri(text).urls).toEqual([url]);
  });

  it.each(["", "a/b/c.gguf", "hf:a/b", "hf:a/b/c.safetensors", "https://one.example/page", "ftp://x/y.gguf"])(
    "is not read from %j",
    (text) => {
      expect(() => modelUri(text)).toThrow(/takes hf:<user>\/<repository>\/<file>\.gguf/);
    },
  );
});
