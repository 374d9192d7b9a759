import { type Operation, resource } from "effection";
import { chooseTools } from "./choose-tools.ts";
import { toolOf } from "./served-tool.ts";
import type { McpServerConfig } from "./server-config.ts";
import { useLastingConnection } from "./use-lasting-connection.ts";
import type { McpServers } from "./use-mcp-servers.ts";

/** One server's tools, for as long as the scope. */
export const useMcpServer = (
  server: McpServerConfig,
  onNotice: (message: string) => void,
): Operation<McpServers> =>
  resource(function* (provide) {
    const connection = yield* useLastingConnection(server, onNotice);
    const { tools, notices } = chooseTools(connection.listed, server);
    yield* provide({ tools: tools.map((tool) => toolOf(tool, server, connection)), notices });
  });
