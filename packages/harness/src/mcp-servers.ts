import { dirname, resolve } from "node:path";
import {
  isServerName,
  type McpServerConfig,
  McpServerError,
  type McpServers,
  type McpServersOptions,
  useMcpServers,
} from "@agentpool/tools";
import type { Operation } from "effection";
import type { Harness } from "./harness.ts";
import { HarnessError, keyName, type Problem } from "./problem.ts";
import type { HarnessFile } from "./schema.ts";

type Written = NonNullable<NonNullable<NonNullable<HarnessFile["tools"]>["mcp"]>["servers"]>[string];
type Environment = Readonly<Record<string, string | undefined>>;

/** What only a program has, and what only an endpoint. */
const PROGRAM = ["args", "env", "cwd"] as const;
const ENDPOINT = ["headers"] as const;

const writtenIn = ({ config }: Harness): [string, Written][] =>
  Object.entries(config.tools.mcp?.servers ?? {});

const pathOf = (name: string, ...keys: string[]): string[] => ["tools", "mcp", "servers", name, ...keys];

/** Throws `HarnessError` where it does not say what a server is: a program or a URL, with what belongs to it. */
export function assertMcpServers(harness: Harness): void {
  const problems = writtenIn(harness).flatMap(([name, server]) => {
    const problem = (keys: string[], message: string): Problem => ({
      origin: harness.originOf(pathOf(name, ...keys), "key"),
      key: keyName(pathOf(name, ...keys)),
      message,
    });
    if (!isServerName(name))
      return [
        problem(
          [],
          "is no name for a server; it takes letters and digits, with single - and _ between them, at most 32.",
        ),
      ];
    const { command, url } = server;
    if (command === undefined && url === undefined)
      return [
        problem([], "says neither what program the server is (command) nor where it is reached (url)."),
      ];
    if (command !== undefined && url !== undefined)
      return [problem(["url"], "stands beside command; a server is a program, or is reached at a URL.")];
    const alien = command === undefined ? PROGRAM : ENDPOINT;
    return alien
      .filter((key) => server[key] !== undefined)
      .map((key) =>
        problem([key], `stands beside ${command === undefined ? "url" : "command"}, where it means nothing.`),
      );
  });
  if (problems.length > 0) throw new HarnessError(problems);
}

/**
 * The MCP servers of a harness, with what stands in the environment in its place.
 *
 * Throws `HarnessError` for each `${NAME}` that is not there.
 */
export function mcpServersOf(harness: Harness, env: Environment = process.env): McpServerConfig[] {
  const problems: Problem[] = [];
  const filled = (text: string, ...at: [name: string, ...keys: string[]]): string =>
    text.replace(REFERENCE, (written, variable: string) => {
      const value = env[variable];
      if (value) return value;
      problems.push({
        origin: harness.originOf(pathOf(...at), "value"),
        key: keyName(pathOf(...at)),
        message: `names ${written}, and the environment has no ${variable}.`,
      });
      return written;
    });
  const filledMap = (map: Readonly<Record<string, string>> = {}, ...at: [string, string]) =>
    Object.fromEntries(Object.entries(map).map(([key, text]) => [key, filled(text, ...at, key)]));

  const servers = writtenIn(harness).map(
    ([name, { command, args = [], env: own, cwd, url, headers, ...settings }]) =>
      command === undefined
        ? {
            name,
            ...settings,
            url: filled(url!, name, "url"),
            headers: filledMap(headers, name, "headers"),
            secrets: referredTo([url!], env),
          }
        : {
            name,
            ...settings,
            command,
            secrets: referredTo(args, env),
            args: args.map((arg) => filled(arg, name, "args")),
            env: filledMap(own, name, "env"),
            cwd: folderOf(harness, cwd),
          },
  );
  if (problems.length > 0) throw new HarnessError(problems);
  return servers;
}

/** The values of the environment that texts refer to. */
const referredTo = (texts: readonly string[], env: Environment): string[] =>
  texts.flatMap((text) => [...text.matchAll(REFERENCE)].flatMap(([, variable]) => env[variable!] ?? []));

/** Reaches the MCP servers of a harness; what is wrong with one gets its place in the file. */
export function* useServers(harness: Harness, options: McpServersOptions = {}): Operation<McpServers> {
  try {
    return yield* useMcpServers(mcpServersOf(harness), options);
  } catch (error) {
    if (!(error instanceof McpServerError)) throw error;
    const { server, message } = error;
    throw Object.assign(
      new HarnessError([{ origin: harness.originOf(pathOf(server), "key"), key: "", message }]),
      { cause: error },
    );
  }
}

/** A value of the environment, as it is written in harness.yml. */
export const REFERENCE = /\$\{([A-Za-z_]\w*)\}/g;

/** Written in a file it starts from its folder; so do relative paths among the arguments. */
function folderOf({ file, cwd: called }: Harness, cwd = "."): string {
  return resolve(file === undefined ? called : dirname(file), cwd);
}
