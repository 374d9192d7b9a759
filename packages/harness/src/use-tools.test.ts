import { type Operation, run } from "effection";
import { afterEach, describe, expect, it, vi } from "vitest";
import { useEndpoint } from "../../tools/test/mcp/endpoint.ts";
import { folderWith } from "./folder-with.testing.ts";
import { loadHarness } from "./load-harness.ts";
import { useTools } from "./use-tools.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const withServer = (server: string) =>
  loadHarness({
    cwd: folderWith({ "harness.yml": `tools:\n  mcp:\n    servers:\n      shop: ${server}\n` }),
  });

describe("the tools of a harness", () => {
  it("are those of its MCP servers too, reached with what the environment has", () =>
    run(function* () {
      vi.stubEnv("SHOP_TOKEN", "abc123");
      const endpoint = yield* useEndpoint();
      const harness = withServer(
        `{ url: "${endpoint.url}", headers: { authorization: "Bearer $\{SHOP_TOKEN}" }, tools: [get_*, nothing_*] }`,
      );
      const { tools } = yield* useTools(harness);
      expect(tools.map(({ name }) => name)).toEqual(["shop__get_order"]);
      expect(endpoint.received[0]!.authorization).toBe("Bearer abc123");
    }));

  it("can be had without reaching any server", () =>
    run(function* () {
      const { tools, notices } = yield* useTools(withServer('{ url: "http://127.0.0.1:1" }'), {
        servers: false,
      });
      expect([tools, notices]).toEqual([[], []]);
    }));

  it("cannot be had where a server is not what the file says: the error has the server's place in it", () =>
    run(function* () {
      const endpoint = yield* useEndpoint();
      const harness = withServer(`{ url: "${endpoint.url}", tools: [get_ordr] }`);
      const thrown = yield* thrownBy(useTools(harness));
      expect(thrown).toMatch(
        /: harness\.yml:4:7: The MCP server "shop" has no tool "get_ordr".*did you mean "get_order"\?/,
      );
    }));
});

function* thrownBy(operation: Operation<unknown>): Operation<string> {
  try {
    yield* operation;
  } catch (error) {
    return String(error);
  }
  return "nothing";
}
