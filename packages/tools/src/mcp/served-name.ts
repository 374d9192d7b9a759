import { createHash } from "node:crypto";

/** Providers take no longer name of a tool. */
const LONGEST = 64;

/** Names of servers: no two of them make the same name with names of tools. */
export const isServerName = (name: string): boolean =>
  /^[a-z0-9]+([_-][a-z0-9]+)*$/i.test(name) && name.length <= 32;

/** How models call a server's tool: `server__tool`, of the signs that every provider takes, and not too long. */
export function servedName(server: string, tool: string): string {
  const name = `${server}__${tool.replace(/[^\w-]/g, "_")}`;
  if (name.length <= LONGEST) return name;
  const digest = createHash("sha256").update(tool).digest("hex").slice(0, 8);
  return `${name.slice(0, LONGEST - digest.length - 1)}_${digest}`;
}

/** How rules, guards and the record name it. */
export const servedIdentity = (server: string, tool: string): string => `mcp:${server}/${tool}`;
