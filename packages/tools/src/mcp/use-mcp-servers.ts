import { ConfigurationError, type Tool } from "@agentpool/core";
import { all, type Operation, resource, spawn, suspend, until, withResolvers } from "effection";
import { isServerName } from "./served-name.ts";
import type { McpServerConfig } from "./server-config.ts";

/** MCP servers in use. */
export interface McpServers {
  /** Their tools, server by server. */
  readonly tools: readonly Tool[];
  /** What was left out of what they list, and why. */
  readonly notices: readonly string[];
}

export interface McpServersOptions {
  /** Told where a program has ended while it was needed, and what becomes of its tools. */
  readonly onNotice?: (message: string) => void;
}

/**
 * Reaches [MCP](https://modelcontextprotocol.io) servers, all at once, and gives their tools.
 *
 * ```ts
 * const { tools } = yield* useMcpServers([
 *   { name: "files", command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "docs"] },
 *   { name: "tickets", url: "https://tickets.example/mcp", headers: { authorization: `Bearer ${token}` } },
 * ]);
 * yield* agentPool({ model, tools, terminal: reportTool, orchestrate: parallel(tasks) });
 * ```
 *
 * The tool `read` of `files` is called `files__read` by models, and is `mcp:files/read` for rules, guards and the record.
 *
 * A resource: servers that are programs are gone when the scope ends, with whatever they started. One that ends before
 * is started again for the next call of one of its tools, at most three times.
 *
 * @throws McpServerError where one cannot be reached in time, naming it.
 */
export const useMcpServers = (
  servers: readonly McpServerConfig[],
  { onNotice = () => {} }: McpServersOptions = {},
): Operation<McpServers> =>
  resource(function* (provide) {
    checkNames(servers);
    if (servers.length === 0) return yield* provide({ tools: [], notices: [] });
    // the protocol is loaded where it is spoken
    const { useMcpServer } = yield* until(import("./use-mcp-server.ts"));
    const reaching = servers.map((server) => ({ server, reached: withResolvers<McpServers>() }));
    for (const { server, reached } of reaching)
      yield* spawn(function* () {
        try {
          reached.resolve(yield* useMcpServer(server, onNotice));
          yield* suspend();
        } catch (error) {
          reached.reject(error as Error);
        }
      });
    const inUse = yield* all(reaching.map(({ reached }) => reached.operation));
    yield* provide({
      tools: inUse.flatMap(({ tools }) => tools),
      notices: inUse.flatMap(({ notices }) => notices),
    });
  });

function checkNames(servers: readonly McpServerConfig[]): void {
  const names = new Set<string>();
  for (const { name } of servers) {
    if (!isServerName(name))
      throw new ConfigurationError(
        `MCP servers: ${JSON.stringify(name)} is no name for one; a name has letters and digits, with single - and _ between them, at most 32.`,
      );
    if (names.has(name)) throw new ConfigurationError(`MCP servers: two are called "${name}".`);
    names.add(name);
  }
}
