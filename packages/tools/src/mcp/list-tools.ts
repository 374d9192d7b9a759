import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { type Operation, until } from "effection";
import { z } from "zod";
import { McpServerError } from "./mcp-server-error.ts";
import { called, type McpServerSettings } from "./server-config.ts";
import { FOREVER } from "./while-pending.ts";

const MOST_LISTED = 10_000;
const MOST_PAGES = 500;
/** Characters of all that is listed: it is held in memory. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

/** Each tool by itself is looked at later, so that one that is malformed leaves the others. */
const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** Everything that a server lists, all pages. */
export function* listTools(client: Client, server: McpServerSettings): Operation<readonly unknown[]> {
  const fail = (what: string): never => {
    throw new McpServerError(server.name, `${called(server)} ${what}.`);
  };
  let listed: readonly unknown[] = [];
  let characters = 0;
  const kept = (tool: unknown): unknown => {
    const text = textOf(tool);
    characters += text?.length ?? 0;
    return text === undefined ? { name: (tool as { readonly name?: unknown }).name } : tool;
  };
  let cursor: string | undefined;
  const cursors = new Set<string | undefined>();
  do {
    if (cursors.has(cursor)) fail("lists its tools in a circle: it never comes to an end");
    if (cursors.add(cursor).size > MOST_PAGES) fail(`lists its tools on more than ${MOST_PAGES} pages`);
    const params = cursor === undefined ? {} : { cursor };
    const request = { method: "tools/list", params };
    const given = yield* until(client.request(request, z.unknown(), { timeout: FOREVER }));
    const page =
      Page.safeParse(given).data ?? fail("gave something else when it was asked to list its tools");
    listed = [...listed, ...page.tools.map(kept)];
    if (listed.length > MOST_LISTED) fail(`lists more than ${MOST_LISTED} tools`);
    if (characters > MOST_CHARACTERS) fail(`lists more than ${MOST_CHARACTERS} characters`);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return listed;
}

/** A value as JSON; undefined where it is nested deeper than that can be. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
