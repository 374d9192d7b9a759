import { consequentialBy, type JsonSchema, type Tool } from "@agentpool/core";
import type { Tool as Listed } from "@modelcontextprotocol/sdk/types.js";
import { until } from "effection";
import type { ZodObject } from "zod";
import { callTool } from "./call-tool.ts";
import { isMeant } from "./choose-tools.ts";
import { clean } from "./clean.ts";
import { called, type McpServerConfig } from "./server-config.ts";
import type { LastingConnection } from "./use-lasting-connection.ts";

/** Characters of a description that models are shown. */
const LONGEST = 4_000;

/** A server's tool that can be used here. */
export interface ServedTool {
  /** How models call it. */
  readonly name: string;
  readonly identity: string;
  readonly parameters: JsonSchema | ZodObject;
  readonly listed: Listed;
}

/** A tool of a pool that is a server's. */
export function toolOf(
  { name, identity, parameters, listed }: ServedTool,
  server: McpServerConfig,
  connection: LastingConnection,
): Tool {
  const { title, description, annotations } = listed;
  const consequential = consequentialBy(server.consequential);
  return {
    name,
    identity,
    source: "mcp",
    description: clean(description ?? title ?? "", LONGEST),
    parameters,
    protected: isMeant(server.protected ?? [], listed.name),
    idempotent: annotations?.readOnlyHint === true || annotations?.idempotentHint === true,
    ...(consequential === undefined ? {} : { consequential }),
    ...(server.timeoutMs === undefined ? {} : { timeoutMs: server.timeoutMs }),
    meta: { server: server.name, name: listed.name, title, annotations: annotations ?? null },
    *execute(args, ctx) {
      const current = yield* connection.current();
      if (!connection.has(listed.name))
        throw new Error(
          `${called(server)} no longer has the tool ${listed.name}. Use another, or report what you have.`,
        );
      return yield* until(callTool(current, listed.name, args, ctx));
    },
  };
}
