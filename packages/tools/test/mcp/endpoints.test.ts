import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { scripted } from "@agentpool/models";
import { run, spawn, until, withResolvers } from "effection";
import { describe, expect, it, vi } from "vitest";
import { useMcpServers } from "../../src/index.ts";
import { type Endpoint, useEndpoint } from "./endpoint.ts";
import { callAll, folder, thrownBy } from "./support.ts";

const at = ({ url }: Endpoint, more = {}) => ({ name: "shop", url, ...more });
const isCall = (body: string): boolean => body.includes('"tools/call"');

describe("a server at a URL", () => {
  it("is spoken to over streamable HTTP, with the headers that it is given", () =>
    run(function* () {
      const endpoint = yield* useEndpoint();
      const { tools } = yield* useMcpServers([at(endpoint, { headers: { authorization: "Bearer abc" } })]);
      const { outcomes } = yield* callAll(tools, [["shop__get_order", { order: 7 }], ["shop__count"]]);
      expect(outcomes).toEqual([
        { type: "ok", value: "Order 7 has shipped." },
        { type: "ok", value: "Three." },
      ]);
      expect(endpoint.received.every(({ authorization }) => authorization === "Bearer abc")).toBe(true);
    }));

  it("is told that its session is over", () =>
    run(function* () {
      const endpoint = yield* useEndpoint();
      yield* until(
        run(function* () {
          yield* useMcpServers([at(endpoint)]);
        }),
      );
      expect(endpoint.ended).toHaveLength(1);
    }));

  it("is told when a call is given up", () =>
    run(function* () {
      const log = join(folder(), "log");
      const endpoint = yield* useEndpoint({ log });
      const { tools } = yield* useMcpServers([at(endpoint)]);
      const seen = (text: string) =>
        vi.waitFor(
          () => {
            if (!existsSync(log) || !readFileSync(log, "utf8").includes(text)) throw new Error(`no ${text}`);
          },
          { timeout: 20_000, interval: 10 },
        );
      const calling = yield* spawn(() => callAll(tools, [["shop__wait"]]));
      yield* until(seen("wait"));
      yield* calling.halt();
      yield* until(seen("cancelled"));
    }));

  it("that does not answer a call is not listened to beyond its deadline, whatever it does", () =>
    run(function* () {
      const endpoint = yield* useEndpoint();
      const { tools } = yield* useMcpServers([at(endpoint, { timeoutMs: 200 })]);
      for (const begins of [false, true]) {
        const closed = withResolvers<void>();
        endpoint.before = (_, response, body) => {
          if (!isCall(body)) return false;
          response.once("close", () => closed.resolve());
          if (begins) response.writeHead(200, { "content-type": "text/event-stream" }).write(": soon\n\n");
          return true;
        };
        const { outcomes } = yield* callAll(tools, [["shop__get_order", { order: 7 }]]);
        expect(outcomes).toMatchObject([{ type: "error", message: expect.stringContaining("200 ms") }]);
        yield* closed.operation;
      }
    }));

  it("whose answer has no end is cut off", () =>
    run(function* () {
      const endpoint = yield* useEndpoint();
      const { tools } = yield* useMcpServers([at(endpoint)]);
      endpoint.before = (_, response, body) => {
        if (!isCall(body)) return false;
        response.writeHead(200, { "content-type": "application/json" });
        const more = () => {
          while (!response.destroyed && response.write(" ".repeat(1024 * 1024)));
        };
        response.on("drain", more);
        more();
        return true;
      };
      const { outcomes } = yield* callAll(tools, [["shop__get_order", { order: 7 }]]);
      expect(outcomes).toMatchObject([
        { type: "error", message: expect.stringMatching(/its answer is longer than 33554432 bytes/) },
      ]);
    }));

  it("that has forgotten the session gets a new one, for all that find out at once, and the calls are made in it", () =>
    run(function* () {
      const log = join(folder(), "log");
      const endpoint = yield* useEndpoint({ log });
      const { tools } = yield* useMcpServers([at(endpoint)]);
      yield* callAll(tools, [["shop__get_order", { order: 1 }]]);
      endpoint.forget();
      const calls = [2, 3, 4].map((order) => ({ tool: "shop__get_order", args: { order } }));
      const settled: unknown[] = [];
      yield* callAll(tools, [], {
        model: scripted(() => [{ calls }, { calls: [{ tool: "report", args: { result: "done" } }] }]),
        onEvent: (event) => {
          if (event.type === "call:settled" && event.tool !== "report") settled.push(event.outcome.type);
        },
      });
      expect(settled).toEqual(["ok", "ok", "ok"]);
      expect(readFileSync(log, "utf8").trim().split("\n").sort()).toEqual(
        [1, 2, 3, 4].map((n) => `get_order ${n}`),
      );
      const sessions = new Set(endpoint.received.map((headers) => headers["mcp-session-id"]).filter(Boolean));
      expect(sessions.size).toBe(2);
    }));

  it("that knows no session and begins none fails the call with what it says", () =>
    run(function* () {
      const endpoint = yield* useEndpoint();
      const { tools } = yield* useMcpServers([at(endpoint)]);
      endpoint.before = (_, response) => {
        response.writeHead(404).end("moved away");
        return true;
      };
      const { outcomes } = yield* callAll(tools, [["shop__get_order", { order: 1 }]]);
      expect(outcomes).toMatchObject([{ type: "error", message: expect.stringContaining("moved away") }]);
    }));

  it("that is too busy has the call parked, and made again", () =>
    run(function* () {
      const endpoint = yield* useEndpoint();
      const { tools } = yield* useMcpServers([at(endpoint)]);
      let busy = 1;
      endpoint.before = (_, response, body) => {
        if (!isCall(body) || busy-- <= 0) return false;
        response.writeHead(503).end("later");
        return true;
      };
      const { outcomes, events } = yield* callAll(tools, [["shop__get_order", { order: 7 }]]);
      expect(outcomes).toEqual([{ type: "ok", value: "Order 7 has shipped." }]);
      expect(events.filter(({ type }) => type === "call:parked")).toHaveLength(1);
    }));

  it("that breaks off in the middle of a call fails that call, at once and honestly", () =>
    run(function* () {
      const endpoint = yield* useEndpoint();
      const { tools } = yield* useMcpServers([at(endpoint)]);
      let breaks: "before" | "within" | "quietly" | undefined = "before";
      endpoint.before = (request, response, body) => {
        if (!isCall(body) || breaks === undefined) return false;
        if (breaks === "before") request.socket.destroy();
        else {
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.write(": nothing yet\n\n");
          setImmediate(() => (breaks === "within" ? response.destroy() : response.end()));
        }
        return true;
      };
      const {
        tools: [getOrder],
      } = { tools };
      for (const how of ["before", "within", "quietly"] as const) {
        breaks = how;
        const { outcomes } = yield* callAll([getOrder!], [["shop__get_order", { order: 7 }]]);
        expect(outcomes).toMatchObject([
          { type: "error", message: expect.stringMatching(/connection|fetch failed/) },
        ]);
      }
      breaks = undefined;
      const { outcomes } = yield* callAll(tools, [["shop__get_order", { order: 7 }]]);
      expect(outcomes).toMatchObject([{ type: "ok" }]);
    }));

  it("that is gone when it is called is waited for, and then said to be unavailable", () =>
    run(function* () {
      const endpoint = yield* useEndpoint();
      const { tools } = yield* useMcpServers([at(endpoint)]);
      yield* until(endpoint.stop());
      // the first finds a connection that was open, and cannot know what became of it
      const { outcomes, events } = yield* callAll(tools, [
        ["shop__get_order", { order: 7 }],
        ["shop__get_order", { order: 8 }],
      ]);
      expect(events.filter(({ type }) => type === "call:parked").length).toBeGreaterThan(0);
      expect(outcomes.at(-1)).toMatchObject({
        type: "error",
        message: expect.stringMatching(/cannot be reached/),
      });
    }));

  it("that cannot be reached, refuses, or is no such server is an error that names it, without what it was given", () =>
    run(function* () {
      const endpoint = yield* useEndpoint();
      endpoint.before = (_, response) => {
        response.writeHead(401).end("no such token: top-secret-token");
        return true;
      };
      const headers = { authorization: "Bearer top-secret-token" };
      const refused = yield* thrownBy(useMcpServers([at(endpoint, { headers })]));
      expect(refused.message).toMatch(
        /^The MCP server "shop" could not be reached: .*no such token: \(hidden\)/,
      );
      yield* until(endpoint.stop());
      const nobody = yield* thrownBy(useMcpServers([at(endpoint)]));
      expect(nobody.message).toMatch(/^The MCP server "shop" could not be reached: .*ECONNREFUSED/);
    }));

  it("that never answers is given up, and its request with it", () =>
    run(function* () {
      const endpoint = yield* useEndpoint();
      const closed = withResolvers<void>();
      endpoint.before = (request) => {
        request.socket.once("close", () => closed.resolve());
        return true;
      };
      const error = yield* thrownBy(useMcpServers([at(endpoint, { startTimeoutMs: 200 })]));
      expect(error.message).toBe('The MCP server "shop" did not list its tools within 200 ms.');
      yield* closed.operation;
    }));
});
