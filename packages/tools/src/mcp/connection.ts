import { DeadlineError } from "@agentpool/core";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { type Operation, resource, suspend, until } from "effection";
import { clean } from "./clean.ts";
import { useEndpoint } from "./endpoint-transport.ts";
import { McpServerError } from "./mcp-server-error.ts";
import { useProgram } from "./program-transport.ts";
import { called, type McpServerConfig } from "./server-config.ts";
import { useListing } from "./use-listing.ts";
import { FOREVER } from "./while-pending.ts";
import { within } from "./within.ts";

/** A server that was reached. */
export interface Connection {
  readonly server: McpServerConfig;
  readonly client: Client;
  /** What it listed when it was reached. */
  readonly listed: readonly unknown[];
  /** How it ended, in words; undefined while it can be used. */
  ending(): string | undefined;
  /** Waits until it has ended, and says how. One at a URL does not end. */
  untilGone(): Operation<string>;
  /** What an error says, without what the server was given in confidence. */
  saying(error: unknown): string;
}

/** Milliseconds until a server has to have listed its tools, where nobody says. */
const START_TIMEOUT = 60_000;

/**
 * A server, reached and asked what it has, for as long as the scope. `onListed` is told what it lists later, where its
 * tools change.
 *
 * @throws McpServerError where that does not come about in time.
 */
export const useConnection = (
  server: McpServerConfig,
  onListed: (listed: readonly unknown[]) => void,
): Operation<Connection> =>
  resource(function* (provide) {
    const saying = confidential(server);
    const client = new Client({ name: "agentpool", version: "1" });
    const program = "command" in server ? yield* useProgram(server) : undefined;
    const transport = program ?? (yield* useEndpoint(server as Extract<McpServerConfig, { url: string }>));
    const timeoutMs = server.startTimeoutMs ?? START_TIMEOUT;
    const listing = yield* useListing(client, server, { timeoutMs, onListed });
    let listed: readonly unknown[];
    try {
      listed = yield* within(timeoutMs, function* () {
        yield* until(client.connect(transport, { timeout: FOREVER }));
        return yield* listing;
      });
    } catch (error) {
      if (error instanceof McpServerError) throw error;
      throw new McpServerError(server.name, whyNot(server, saying(error), error, program), { cause: error });
    }
    yield* provide({
      server,
      client,
      listed,
      ending: () => program?.ending,
      untilGone: () => program?.untilGone() ?? (suspend() as Operation<never>),
      saying,
    });
  });

/** Why a server could not be used, with what its program said. */
function whyNot(
  server: McpServerConfig,
  said: string,
  error: unknown,
  program: { readonly ending: string | undefined; readonly said: string } | undefined,
): string {
  const ended = program?.ending === undefined ? "" : ` Its program ended ${program.ending}.`;
  const stderr = program?.said ? ` It said: ${confidential(server)(program.said)}` : "";
  const where = "command" in server ? `started as ${JSON.stringify(server.command)}` : "reached";
  if (error instanceof DeadlineError)
    return `${called(server)} did not list its tools within ${error.ms} ms.${ended}${stderr}`;
  return `${called(server)} could not be ${where}: ${said}.${ended}${stderr}`;
}

/** Says things without the values that a server was given in confidence: its secrets, environment and headers. */
function confidential(server: McpServerConfig): (said: unknown) => string {
  const given =
    "command" in server
      ? Object.values(server.env ?? {})
      : [...Object.values(server.headers ?? {}), ...new URL(server.url).searchParams.values()];
  const words = [...given, ...(server.secrets ?? [])].flatMap((value) => [
    value,
    value.replace(/^\w+\s+/, ""),
  ]);
  const secrets = [...new Set(words)]
    .filter((value) => value.length >= 6)
    .sort((a, b) => b.length - a.length);
  return (said) => {
    const text = typeof said === "string" ? said : messageOf(said);
    return clean(
      secrets.reduce((shown, secret) => shown.replaceAll(secret, "(hidden)"), text),
      1_000,
    ).replace(/\.+$/, "");
  };
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message ? `${error.message}: ${cause.message}` : error.message;
}
